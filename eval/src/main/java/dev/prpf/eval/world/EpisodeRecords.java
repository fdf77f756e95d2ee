package dev.prpf.eval.world;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Actor;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects the samples of a played day as labelled records. An accepted offer with its executed calls is the answer of its sample; after a
 * rejection the answer is silence. Samples without an offer, or with an ignored one, have no label and give no record.
 */
final class EpisodeRecords {
    private final String profile;
    private final Episode episode;
    private final List<Sample> records = new ArrayList<>();
    private final List<FunctionCall> calls = new ArrayList<>();
    private EpisodeStep.@Nullable Event moment;
    private EpisodeStep.@Nullable Event offered;
    private String offer = "";
    private boolean executing;

    private EpisodeRecords(Scenario scenario, Episode episode) {
        Scenario.App phone = scenario.apps().get(ScenarioWorld.PHONE);
        JsonNode stated = phone == null ? null : phone.start().get("profile");
        this.profile = stated == null ? "" : stated.asText();
        this.episode = episode;
    }

    /** Returns the records of an episode, in order; empty without the app {@value ScenarioWorld#PHONE}. */
    static List<Sample> of(Scenario scenario, Episode episode) {
        EpisodeRecords records = new EpisodeRecords(scenario, episode);
        episode.steps().forEach(records::add);
        return records.records;
    }

    private void add(EpisodeStep step) {
        if (step instanceof EpisodeStep.Action action) {
            if (executing && action.actor() == Actor.EXECUTE && action.error() == null) {
                calls.add(new FunctionCall(action.function(), action.args()));
            }
            return;
        }
        if (executing) {
            executed();
        }
        if (step instanceof EpisodeStep.Event event
                && (event.app() + "." + event.name()).equals(ScenarioWorld.PHONE + ".use")) {
            moment = event;
        } else if (step instanceof EpisodeStep.Proposal proposal) {
            offered = moment;
            offer = String.join("\n", proposal.texts());
        } else if (step instanceof EpisodeStep.Reply reply && offered != null) {
            executing = reply.answer() == Answer.ACCEPT;
            if (reply.answer() == Answer.REJECT) {
                records.add(record(List.of()));
            }
        }
    }

    private void executed() {
        if (!calls.isEmpty()) {
            records.add(record(List.of(new Recommendation(offer, calls))));
        }
        calls.clear();
        executing = false;
    }

    private Sample record(List<Recommendation> answers) {
        JsonNode shown = JsonRecords.tree(Objects.requireNonNull(offered).args());
        return ScenarioWorld.sample(episode.header().episode() + "-" + records.size(), profile, shown, answers);
    }
}
