package dev.prpf.par.agent;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.world.World;
import dev.prpf.data.world.scenario.ScenarioWorld;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The assistants without a model; add an assistant here. Those that decide only when to help take offers and calls from the scenario's
 * expected run, so that their decisions can be compared.
 */
public enum Agents implements ProactiveAgent.Source {
    /** Stays silent at every event. */
    SILENT((world, seed) -> new Gated(world, event -> false)),
    /** Offers help at every event. */
    ALWAYS((world, seed) -> new Gated(world, event -> true)),
    /** Makes the calls of the expected run at their times. */
    EXPECTED((world, seed) -> new Expected(world)),
    /** Offers help at an event if its text asks or urges, and no word of completion follows. */
    CUES((world, seed) -> new Gated(world, Agents::asks)),
    /** Offers help at every event until the user declines; each refusal doubles the pause for events of this function. */
    BACKOFF((world, seed) -> new Backoff(world)),
    /** Offers help at an event with the probability 0.2. */
    RANDOM((world, seed) -> new Chance(0.2).start(world, seed)),
    /** Offers help where the gate of a cascade opens, with the calls of its reasoner; see {@link CascadeAgent.Source}. */
    CASCADE((world, seed) -> needs("--agent cascade needs --cascade DIR")),
    /** Offers help where a gate opens, with the content of the expected run; see {@link CascadeAgent.Source}. */
    GATE((world, seed) -> needs("--agent gate needs --gate RUN")),
    /** Lets language models observe and execute; see {@link ChatPlayer}. */
    CHAT((world, seed) -> needs("--agent chat needs --observe-model FILE"));

    @SuppressWarnings("ImmutableEnumChecker") // the lambdas have no state
    private final BiFunction<ScenarioWorld, Long, ProactiveAgent> starts;

    Agents(BiFunction<ScenarioWorld, Long, ProactiveAgent> starts) {
        this.starts = starts;
    }

    private static ProactiveAgent needs(String what) {
        throw new UsageException(what);
    }

    @Override
    public String id() {
        return EnumName.of(this);
    }

    @Override
    public ProactiveAgent start(ScenarioWorld world, long seed, EpisodePolicy policy) {
        return starts.apply(world, seed);
    }

    /** Offers help at an event with a probability. */
    public record Chance(double probability) implements ProactiveAgent.Source {
        public Chance {
            Rule.require(probability >= 0 && probability <= 1, "--probability", probability, "from 0 to 1");
        }

        @Override
        public String id() {
            return "random-" + probability;
        }

        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed, EpisodePolicy policy) {
            return start(world, seed);
        }

        private ProactiveAgent start(ScenarioWorld world, long seed) {
            SplittableRandom random = World.random(seed, "agent");
            return new Gated(world, event -> random.nextDouble() < probability);
        }
    }

    private static final String ASKS =
            "[?？]|please|could you|can you|need|remind|confirm|deadline|urgent|cancel|reschedul"
                    + "|wants|asks|says|suggests|\\byet\\b|waits|tells|searched|recommends|wonders|urges"
                    + "|请|能不能|可以|吗|提醒|确认|取消|改到|停运|快点|尽快|今天|他|想|没|要|说|问|提示|让|准备|反复|催";
    private static final String DONE = "recorded|saved|booked|issued|is set|has been|已|成功|完成";
    /** A text that asks or urges, without a word of completion after it. */
    private static final Pattern CUE =
            Pattern.compile("(?:" + ASKS + ")(?!.*(?:" + DONE + "))", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static boolean asks(EpisodeStep.Event event) {
        return CUE.matcher(String.valueOf(event.seen().agent())).find();
    }

    /** Returns the assistant of an episode that repeats what it did. */
    public static ProactiveAgent replay(Episode episode) {
        return new Replay(episode);
    }

    private static boolean isReply(EpisodeStep step, boolean accepting) {
        return step instanceof EpisodeStep.Reply reply && (reply.answer() == Answer.ACCEPT) == accepting;
    }

    /** Makes the calls of the expected run that the user accepts, when they are due. */
    private static class Expected implements ProactiveAgent {
        final ExpectedRun run;

        Expected(ScenarioWorld world) {
            this.run = new ExpectedRun(world);
        }

        @Override
        public Act observe(List<EpisodeStep> seen) {
            if (seen.stream().anyMatch(step -> isReply(step, false))) {
                run.declined();
            }
            return run.observe();
        }

        @Override
        public Act execute(List<EpisodeStep> seen) {
            if (seen.stream().anyMatch(step -> isReply(step, true))) {
                run.accepted();
            }
            return run.execute();
        }
    }

    /** Offers help at the events that a gate lets pass. */
    static class Gated extends Expected {
        private final Predicate<EpisodeStep.Event> gate;
        private boolean open;

        Gated(ScenarioWorld world, Predicate<EpisodeStep.Event> gate) {
            super(world);
            this.gate = gate;
        }

        boolean passes(EpisodeStep.Event event) {
            return gate.test(event);
        }

        @Override
        public Act observe(List<EpisodeStep> seen) {
            if (open && seen.stream().anyMatch(step -> isReply(step, false))) {
                run.declined();
            }
            open = false;
            EpisodeStep.Event passed = null;
            for (EpisodeStep step : seen) {
                passed = step instanceof EpisodeStep.Event event && passes(event) ? event : passed;
            }
            if (passed == null) {
                return new Silence();
            }
            Offer offer = run.skipToOffer();
            open = offer != null;
            return offer == null
                    ? new Offer("Can I help with this: " + passed.seen().agent(), List.of())
                    : offer;
        }

        @Override
        public Act execute(List<EpisodeStep> seen) {
            boolean began = seen.stream()
                    .anyMatch(step ->
                            step instanceof EpisodeStep.Action action && action.actor() == EpisodeStep.Actor.EXECUTE);
            if (!open && !began) {
                return new Report("There is nothing that I can do.");
            }
            open = false;
            return super.execute(seen);
        }
    }

    private static final class Backoff extends Gated {
        private static final double FIRST_PAUSE = 900; // seconds
        private final ScenarioWorld world;
        private final Map<String, Double> until = new HashMap<>();
        private final Map<String, Integer> refusals = new HashMap<>();
        private String offered = "";

        Backoff(ScenarioWorld world) {
            super(world, event -> true);
            this.world = world;
        }

        @Override
        boolean passes(EpisodeStep.Event event) {
            String call = event.app() + "." + event.name();
            boolean passes = until.getOrDefault(call, 0.0) <= world.now();
            offered = passes ? call : offered;
            return passes;
        }

        @Override
        public Act observe(List<EpisodeStep> seen) {
            if (seen.stream().anyMatch(step -> isReply(step, false))) {
                int times = refusals.merge(offered, 1, Integer::sum);
                until.put(offered, world.now() + FIRST_PAUSE * Math.pow(2, times - 1.0));
            }
            return super.observe(seen);
        }
    }

    private static final class Replay implements ProactiveAgent {
        private final Deque<EpisodeStep> steps = new ArrayDeque<>();

        Replay(Episode episode) {
            episode.steps().stream().filter(Replay::isOwn).forEach(steps::add);
        }

        private static boolean isOwn(EpisodeStep step) {
            if (step instanceof EpisodeStep.Action action) {
                return action.actor() != EpisodeStep.Actor.USER && action.cause() == null;
            }
            if (step instanceof EpisodeStep.Message message) {
                return message.from() == EpisodeStep.Actor.EXECUTE;
            }
            return step instanceof EpisodeStep.Proposal
                    || (step instanceof EpisodeStep.Decision decision && decision.act() == EpisodeStep.Act.SILENT);
        }

        @Override
        public Act observe(List<EpisodeStep> seen) {
            return steps.isEmpty() ? new Silence() : act(steps.remove());
        }

        @Override
        public Act execute(List<EpisodeStep> seen) {
            return steps.isEmpty() ? new Report("Done.") : act(steps.remove());
        }

        private static Act act(EpisodeStep step) {
            if (step instanceof EpisodeStep.Action action) {
                return new Call(action.app() + "." + action.function(), action.args());
            }
            if (step instanceof EpisodeStep.Proposal offer) {
                return new Offer(String.join("\n", offer.texts()), List.of());
            }
            return step instanceof EpisodeStep.Message message
                    ? new Report(Objects.requireNonNull(message.text()))
                    : new Silence();
        }
    }
}
