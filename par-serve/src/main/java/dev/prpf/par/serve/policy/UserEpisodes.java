package dev.prpf.par.serve.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Act;
import dev.prpf.data.episode.EpisodeStep.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the stored data of a user, as {@code GET /v1/users/{user}/data} returns them: each audit entry is a request and a decision, each
 * feedback a reply. Without {@code audit.content} the audit holds hashes, so requests and proposals have no text.
 */
public final class UserEpisodes implements Episode.Source {
    private record Data(
            String user,
            String time,
            JsonNode policy,
            JsonNode interventions,
            List<Said> feedback,
            JsonNode images,
            List<Line> audit) {}

    private record Said(String time, boolean accepted, @Nullable JsonNode record) {}

    private record Line(long id, String time, AuditEntry decision) {}

    /**
     * An audit entry or a feedback.
     *
     * @param decision null for a feedback
     */
    private record Moment(Instant time, @Nullable AuditEntry decision, boolean accepted) {}

    @Override
    public void read(Path file, Consumer<Episode> episodes) {
        Data data = JsonFile.record(file, "export of a user's data", Data.class);
        List<Moment> moments = new ArrayList<>();
        for (Line line : data.audit()) {
            moments.add(new Moment(time(file + ": /audit/" + moments.size(), line.time()), line.decision(), false));
        }
        Collections.reverse(moments); // the audit begins with its newest entry
        int said = 0;
        for (Said one : data.feedback()) {
            moments.add(new Moment(time(file + ": /feedback/" + said++, one.time()), null, one.accepted()));
        }
        if (moments.isEmpty()) {
            throw new InvalidDataException(file + ": audit and feedback are empty, must hold at least one entry");
        }
        moments.sort(Comparator.comparing(Moment::time));
        Steps steps = new Steps(moments.get(0).time());
        moments.forEach(steps::add);
        episodes.accept(steps.episode(data.user()));
    }

    private static Instant time(String place, String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new InvalidDataException(
                    place + ": time = \"" + text + "\", must be a time as in \"2026-03-02T08:00:00Z\"");
        }
    }

    /** The steps of a user; each decision is a turn. */
    private static final class Steps {
        private final Instant start;
        private final List<EpisodeStep> steps = new ArrayList<>();
        private int turn = -1;
        private @Nullable Integer open;

        Steps(Instant start) {
            this.start = start;
        }

        void add(Moment moment) {
            double t = Duration.between(start, moment.time()).toMillis() / 1e3;
            if (moment.decision() != null) {
                turn++;
                decision(t, moment.decision());
                return;
            }
            Answer answer = moment.accepted() ? Answer.ACCEPT : Answer.REJECT;
            steps.add(new EpisodeStep.Reply(steps.size(), t, Math.max(turn, 0), open, answer, null));
            open = null;
        }

        private void decision(double t, AuditEntry entry) {
            Map<String, JsonNode> args = new LinkedHashMap<>();
            args.put("passive", JsonRecords.tree(entry.passive()));
            args.put("used", JsonRecords.tree(entry.used()));
            args.put("withheld", JsonRecords.tree(entry.withheld()));
            EpisodeStep.Seen seen = new EpisodeStep.Seen(null, text(entry.content()));
            steps.add(new EpisodeStep.Event(steps.size(), t, turn, null, "moment", args, seen, false));
            Act act = entry.recommendations().isEmpty() ? Act.SILENT : Act.ACT;
            steps.add(new EpisodeStep.Decision(
                    steps.size(), t, turn, act, entry.pTrigger(), entry.threshold(), entry.silence(), List.of(), null));
            if (act == Act.ACT) {
                open = steps.size();
                steps.add(new EpisodeStep.Proposal(open, t, turn, offers(entry.content())));
            }
        }

        private static @Nullable String text(AuditEntry.@Nullable Content content) {
            if (content == null) {
                return null;
            }
            Map<String, String> texts = new LinkedHashMap<>();
            JsonRecords.texts("", content.moment(), texts);
            return texts.entrySet().stream()
                    .map(text -> text.getKey() + ": " + text.getValue())
                    .collect(Collectors.joining("\n"));
        }

        private static List<String> offers(AuditEntry.@Nullable Content content) {
            return content == null
                    ? List.of()
                    : content.recommendations().stream()
                            .map(made -> made.path("instruction").asText().isBlank()
                                    ? made.path("functions").toString()
                                    : made.path("instruction").asText())
                            .toList();
        }

        Episode episode(String user) {
            steps.add(new EpisodeStep.End(steps.size(), null, null, null, EpisodeStep.Why.DONE, turn + 1));
            Map<String, @Nullable String> actors = new LinkedHashMap<>();
            actors.put("user", "person");
            actors.put("observe", null);
            actors.put("execute", null);
            return new Episode(
                    new Episode.Header(
                            Episode.FORMAT,
                            user,
                            null,
                            null,
                            null,
                            "serve",
                            start.toString(),
                            Episode.Clock.WALL,
                            actors,
                            List.of(),
                            null,
                            Map.of()),
                    steps);
        }
    }
}
