package dev.prpf.par.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.Resource;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.Language;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.episode.EpisodeStep.Effect;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.Scenario.Actor;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.agent.ProactiveAgent.Act;
import dev.prpf.par.agent.ProactiveAgent.Offer;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatModel;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.ChatRequest.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * A language model in one role of an episode. The model gets an invalid answer back once, with the error; after a second one it waits. The
 * journal keeps each answer under {@code episode#request}, so that no request is repeated.
 *
 * @param journal may be shared by roles
 */
public record ChatPlayer(ChatModel model, AnswerJournal journal, SamplingSettings sampling, Language language) {
    private static final int LONGEST = 2000; // characters of one observation
    private static final int MOST_TURNS = 80; // of a dialogue; the oldest are dropped
    private static final Pattern CONTROL = Pattern.compile("<\\|[^|<>]*\\|>");
    private static final String WAIT = "wait";

    /** Returns an assistant of two models, which may be the same. */
    public static ProactiveAgent agent(ChatPlayer observe, ChatPlayer execute, ScenarioWorld world, String episode) {
        return new Assistant(observe, execute, world, episode);
    }

    /** Returns a user of this model. */
    public SimulatedUser user(ScenarioWorld world, String episode) {
        return new User(this, world, episode);
    }

    private Dialogue begin(String part, String episode, String place, String value) {
        String file = part + "." + EnumName.of(language) + ".txt";
        String system = Resource.text(ChatPlayer.class, file).replace(place, value);
        return new Dialogue(this, episode + "#" + part + "-", new ArrayList<>(List.of(new Turn("system", system))));
    }

    /** The conversation of one role in an episode. */
    private static final class Dialogue {
        private final ChatPlayer player;
        private final String id;
        private final List<Turn> turns;
        private int requests;
        private int junk;

        Dialogue(ChatPlayer player, String id, List<Turn> turns) {
            this.player = player;
            this.id = id;
            this.turns = turns;
        }

        /** Returns the next action, one of the named functions; null after two invalid answers. */
        @Nullable
        ActionForm next(String seen, List<String> names) {
            turns.add(new Turn("user", seen));
            while (turns.size() > MOST_TURNS) {
                turns.subList(1, 3).clear();
            }
            for (int attempt = 0; attempt < 2; attempt++) {
                ChatRequest request = new ChatRequest(id + requests++, turns, player.sampling, null);
                ChatOutcome outcome = player.journal
                        .ask(player.model, List.of(request), () -> {})
                        .get(0);
                if (outcome instanceof ChatOutcome.TooLong) {
                    turns.subList(1, turns.size() - 1).clear();
                }
                String text = outcome instanceof ChatOutcome.Answer answer ? answer.text() : "";
                turns.add(new Turn("assistant", text.isBlank() ? "-" : text));
                try {
                    return read(outcome, names);
                } catch (InvalidDataException e) {
                    if (attempt == 0) {
                        turns.add(new Turn("user", "Error: " + e.getMessage() + ". Reply with one action."));
                    }
                }
            }
            junk++;
            return null;
        }

        private static ActionForm read(ChatOutcome outcome, List<String> names) {
            if (!(outcome instanceof ChatOutcome.Answer answer)) {
                throw new InvalidDataException(((ChatOutcome.NoAnswer) outcome).reason());
            }
            if (answer.isCut()) {
                throw new InvalidDataException("the reply was truncated");
            }
            ActionForm action = ActionForm.read(answer.text());
            if (!names.contains(action.name())) {
                throw new InvalidDataException("there is no function " + action.name() + " now");
            }
            if (CONTROL.matcher(action.input().toString()).find()) {
                throw new InvalidDataException("the action holds a control token");
            }
            return action;
        }
    }

    private static String text(ActionForm action) {
        return action.input().getOrDefault("text", NullNode.instance).asText();
    }

    private static boolean is(ActionForm action, String function) {
        return action.name().endsWith("__" + function);
    }

    /** Renders the steps that a role saw, one line for each. */
    private static String text(ScenarioWorld world, List<EpisodeStep> seen, Actor role, String more) {
        return Stream.concat(
                                Stream.of("t = " + world.now() + " s"),
                                seen.stream().map(step -> line(step, role)))
                        .collect(Collectors.joining("\n"))
                + more;
    }

    private static String line(EpisodeStep step, Actor role) {
        if (step instanceof EpisodeStep.Event event) {
            String name = "event " + event.app() + "__" + event.name();
            return role == Actor.USER
                    ? line(name, event.seen().user(), Map.of(), "")
                    : line(name, event.seen().agent(), event.args(), "");
        }
        if (step instanceof EpisodeStep.Action action) {
            String kind = action.actor() == EpisodeStep.Actor.USER ? "move " : "call ";
            String result = action.result() == null ? "" : " result: " + action.result();
            String end = action.error() == null ? result : " error: " + action.error() + result;
            return line(kind + action.app() + "__" + action.function(), null, action.args(), end);
        }
        if (step instanceof EpisodeStep.Reply reply) {
            return line("reply " + EnumName.of(reply.answer()), reply.text(), Map.of(), "");
        }
        return step instanceof EpisodeStep.Message message
                ? line("message " + Scenario.TELL, message.text(), Map.of(), "")
                : line(
                        "message " + Scenario.PROPOSE,
                        String.join("\n", ((EpisodeStep.Proposal) step).texts()),
                        Map.of(),
                        "");
    }

    private static String line(String name, @Nullable String text, Map<String, JsonNode> with, String end) {
        String given = with.isEmpty() ? "" : JsonRecords.tree(with).toString();
        String all = Stream.of(text == null ? "" : text, given, end.strip())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" "));
        return "- " + name + " " + StringUtils.left(all, LONGEST);
    }

    /** Lists functions or moves with their parameters. */
    private static String list(ScenarioWorld world, List<String> calls, Actor by) {
        return calls.stream()
                .map(call -> world.parameters(by, call).entrySet().stream()
                        .map(parameter -> parameter.getKey() + ": " + parameter.getValue())
                        .collect(Collectors.joining(", ", "- " + call.replace(".", "__") + "(", ")")))
                .collect(Collectors.joining("\n"));
    }

    private static List<String> names(List<String> calls, String... more) {
        return Stream.concat(calls.stream().map(call -> call.replace(".", "__")), Stream.of(more))
                .toList();
    }

    private static final class Assistant implements ProactiveAgent {
        private final ChatPlayer executor;
        private final ScenarioWorld world;
        private final String episode;
        private final List<String> reads;
        private final Dialogue observing;
        private @Nullable Dialogue executing;
        private String offered = "";
        private int junk;

        Assistant(ChatPlayer observe, ChatPlayer execute, ScenarioWorld world, String episode) {
            this.executor = execute;
            this.world = world;
            this.episode = episode;
            this.reads = world.functions().stream()
                    .filter(call -> world.effect(call) == Effect.READ)
                    .toList();
            this.observing = observe.begin("observe", episode, "{functions}", list(world, reads, Actor.AGENT));
        }

        @Override
        public int junk() {
            return junk + observing.junk + (executing == null ? 0 : executing.junk);
        }

        @Override
        public Act observe(List<EpisodeStep> seen) {
            ActionForm action = observing.next(
                    text(world, seen, Actor.AGENT, ""), names(reads, "Assistant__wait", "Assistant__propose"));
            if (action == null || is(action, WAIT)) {
                return new Silence();
            }
            offered = text(action);
            return is(action, "propose") ? new Offer(offered, List.of()) : call(action);
        }

        @Override
        public Act execute(List<EpisodeStep> seen) {
            boolean begins = executing == null;
            if (executing == null) {
                String functions = list(world, world.functions(), Actor.AGENT);
                executing = executor.begin("execute", episode, "{functions}", functions);
            }
            ActionForm action = executing.next(
                    (begins ? "Task: " + offered + "\n" : "") + text(world, seen, Actor.AGENT, ""),
                    names(world.functions(), "Assistant__report"));
            if (action != null && !is(action, "report")) {
                return call(action);
            }
            junk += executing.junk;
            executing = null;
            return new Report(action == null ? "I stopped: my model gave no valid action." : text(action));
        }

        private static Call call(ActionForm action) {
            return new Call(action.name().replace("__", "."), action.input());
        }
    }

    private static final class User implements SimulatedUser {
        private final ScenarioWorld world;
        private final Dialogue dialogue;
        private @Nullable ActionForm considered;
        private boolean considers;

        User(ChatPlayer player, ScenarioWorld world, String episode) {
            this.world = world;
            String goal = world.scenario().user().goal();
            this.dialogue = player.begin("user", episode, "{goal}", goal == null ? "-" : goal);
        }

        @Override
        public int junk() {
            return dialogue.junk;
        }

        private @Nullable ActionForm ask(List<EpisodeStep> seen, String offer, String... more) {
            List<String> moves = world.world().moves().stream()
                    .map(move -> move.replace("__", "."))
                    .toList();
            String text = text(world, seen, Actor.USER, "\n" + offer + list(world, moves, Actor.USER));
            return dialogue.next(text, names(moves, more));
        }

        @Override
        public @Nullable Move act(List<EpisodeStep> seen) {
            ActionForm action = considers ? considered : ask(seen, "", "User__wait");
            considers = false;
            return action == null || is(action, WAIT)
                    ? null
                    : new Move(action.name().replace("__", "."), action.input());
        }

        @Override
        public @Nullable Reply answer(List<EpisodeStep> seen, Offer offer) {
            ActionForm action = ask(seen, "An offer is open.\n", "User__wait", "User__accept", "User__reject");
            if (action != null && (is(action, "accept") || is(action, "reject"))) {
                return new Reply(is(action, "accept") ? Answer.ACCEPT : Answer.REJECT, text(action));
            }
            considers = true; // the runner calls act() next
            considered = action;
            return null;
        }
    }
}
