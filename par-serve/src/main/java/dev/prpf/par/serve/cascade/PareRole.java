package dev.prpf.par.serve.cascade;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.Rule;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.agent.ActionForm;
import dev.prpf.par.serve.cascade.ServedCascade.RecommendAnswer;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.EventStream;
import dev.prpf.par.serve.openai.ChatRole;
import dev.prpf.par.serve.policy.InterventionPolicy;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers as PARE's observing or executing model with the served cascade. PARE decides when to call each model; PARE's chats hold all state. */
public final class PareRole implements ChatRole {
    private static final Logger LOG = LoggerFactory.getLogger(PareRole.class);
    private static final int MOST_READS = 4; // PARE ends the turn after five actions
    private static final int MOST_CALLS = 9; // PARE ends the execution after ten

    private final boolean observes;
    private final double seconds;
    private final ServedCascade cascade;
    private final CascadeSettings limits;

    /**
     * Minimum response times in seconds: the {@code roles:} section of configs/serve.yaml. PARE's clock is the wall clock, so a fast reply ends an
     * episode before its later events.
     */
    public record RoleSettings(double observeSeconds, double executeSeconds) {
        private static final double LONGEST = 60;

        public RoleSettings {
            require("observe-seconds", observeSeconds);
            require("execute-seconds", executeSeconds);
        }

        private static void require(String key, double seconds) {
            Rule.require(seconds >= 0 && seconds <= LONGEST, key, seconds, "from 0 to 60");
        }
    }

    private PareRole(boolean observes, double seconds, ServedCascade cascade, CascadeSettings limits) {
        this.observes = observes;
        this.seconds = seconds;
        this.cascade = cascade;
        this.limits = limits;
    }

    /** Returns the roles that a cascade can play: none without a reasoner, only the executing role without a gate. */
    public static List<ChatRole> of(ServedCascade cascade, CascadeSettings limits, RoleSettings settings) {
        if (cascade.parts().reasoner() == null) {
            return List.of();
        }
        ChatRole executes = new PareRole(false, settings.executeSeconds(), cascade, limits);
        return cascade.parts().perceiver().perceives()
                ? List.of(new PareRole(true, settings.observeSeconds(), cascade, limits), executes)
                : List.of(executes);
    }

    @Override
    public String name() {
        return observes ? "prpf-observe" : "prpf-execute";
    }

    @Override
    public double seconds() {
        return seconds;
    }

    @Override
    public Reply reply(Chat chat) {
        ParePrompt prompt = new ParePrompt(chat.messages());
        String say = prompt.named(ParePrompt.SAY);
        String wait = observes ? prompt.named(ParePrompt.WAIT) : say;
        if (say == null || wait == null) { // such as PARE's probe
            return new Reply("ok: " + name() + " answers prompts of PARE", 0, 0);
        }
        try {
            RecommendAnswer answer = ask(chat, prompt);
            ActionForm action = observes ? observe(prompt, answer, say, wait) : execute(prompt, answer, say);
            Integer read = answer.cost().promptTokens();
            Integer written = answer.cost().newTokens();
            return new Reply(action.write(), read == null ? 0 : read, written == null ? 0 : written);
        } catch (EventStream.Gone e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.warn("{}: request {} failed: {}", name(), chat.id(), e.toString());
            String why = "The assistant's server failed.";
            return new Reply((observes ? waits(wait, why) : says(say, report(prompt, why))).write(), 0, 0);
        }
    }

    /** Asks the cascade about the last steps. The reasoner may call the pool's shortlist and a few reads; after an acceptance it may call any function of the prompt. */
    private RecommendAnswer ask(Chat chat, ParePrompt prompt) {
        List<String> steps = prompt.steps(
                limits.maxSteps(), limits.maxCharacters() - prompt.today().length());
        DeviceContext context = new DeviceContext("", "", prompt.today());
        Sample sample = new Sample(
                chat.id(), 1, null, null, context, Trajectory.ofTexts(steps).orBlank(), null);
        InterventionPolicy.Moment moment = new InterventionPolicy.Moment(chat.caller(), chat.user(), sample, !observes);
        List<FunctionSpec> functions =
                observes && prompt.calls(true).size() >= MOST_READS ? List.of() : prompt.functions(!observes);
        try {
            return ask(chat, moment, functions);
        } catch (ApiException e) {
            if (!observes || e.status() != 400) {
                throw e;
            }
            return ask(chat, moment, List.of()); // too long with the reads
        }
    }

    private RecommendAnswer ask(Chat chat, InterventionPolicy.Moment moment, List<FunctionSpec> functions) {
        MomentFields unnamed = new MomentFields(null, null);
        ServedCascade.Ask asked = new ServedCascade.Ask(moment, null, unnamed, functions);
        return cascade.recommend(chat.caller(), asked, new Audience(chat.waiting(), null));
    }

    private static ActionForm observe(ParePrompt prompt, RecommendAnswer answer, String say, String wait) {
        Recommendation first = recommendations(answer).findFirst().orElse(null);
        if (first == null) {
            return waits(wait, "No help is due: " + answer.silence() + ".");
        }
        FunctionCall call = first.calls().get(0);
        boolean reads =
                prompt.functions(false).stream().anyMatch(read -> read.name().equals(call.name()));
        ActionForm action = reads ? calls(call) : says(say, offer(first));
        boolean repeats = reads ? prompt.calls(true).stream().anyMatch(action::isLike) : prompt.holds(action);
        return repeats ? waits(wait, "This was done before.") : action;
    }

    /** Returns the words of an offer with all its arguments: nothing else of the observation reaches the executing model. */
    private static String offer(Recommendation first) {
        return first.instruction().strip()
                + first.calls().stream()
                        .map(call -> "\n" + call.name() + JsonRecords.tree(call.parameters()))
                        .collect(Collectors.joining());
    }

    private static ActionForm execute(ParePrompt prompt, RecommendAnswer answer, String say) {
        List<String> names =
                prompt.functions(true).stream().map(FunctionSpec::name).toList();
        return recommendations(answer)
                .flatMap(one -> one.calls().stream())
                .filter(call ->
                        names.contains(call.name()) && prompt.calls(false).size() < MOST_CALLS)
                .map(PareRole::calls)
                .filter(call -> !prompt.holds(call))
                .findFirst()
                .orElseGet(() -> says(say, report(prompt, "")));
    }

    /** Returns what was done, as far as the chat shows. */
    private static String report(ParePrompt prompt, String why) {
        String made = prompt.calls(false).stream().map(ActionForm::name).collect(Collectors.joining(", "));
        String done = made.isEmpty() ? "I made no call, so nothing has changed." : "I called " + made + ".";
        String failed = prompt.failed().isEmpty() ? "" : "Failed: " + String.join(", ", prompt.failed()) + ".";
        return String.join(" ", why, done, failed).strip();
    }

    private static Stream<Recommendation> recommendations(RecommendAnswer answer) {
        List<JsonNode> written = Objects.requireNonNullElse(answer.recommendations(), List.of());
        return FunctionCallJson.readAnswers(JsonRecords.tree(written)).stream().filter(one -> !one.isSilence());
    }

    private static ActionForm waits(String wait, String why) {
        return new ActionForm(why, wait, Map.of());
    }

    private static ActionForm says(String say, String text) {
        return new ActionForm("This is for the user.", say, Map.of("content", TextNode.valueOf(text)));
    }

    private static ActionForm calls(FunctionCall call) {
        Map<String, JsonNode> given = new TreeMap<>(call.parameters());
        given.values().removeIf(JsonNode::isNull);
        return new ActionForm("This call is the next step.", call.name(), given);
    }
}
