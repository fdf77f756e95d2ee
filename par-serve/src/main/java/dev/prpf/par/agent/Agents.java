package dev.prpf.par.agent;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.world.World;
import dev.prpf.data.world.scenario.Observation;
import dev.prpf.data.world.scenario.Observation.Kind;
import dev.prpf.data.world.scenario.Observation.Seen;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioWorld;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The assistants without a model; add an assistant here. Those that decide only when to help take offers and calls from the scenario's
 * expected run, so that their decisions can be compared.
 */
public enum Agents implements ProactiveAgent.Source {
    /** Stays silent at every event. */
    SILENT {
        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            return new Gated(world, event -> false);
        }
    },
    /** Offers help at every event. */
    ALWAYS {
        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            return new Gated(world, event -> true);
        }
    },
    /** Makes the calls of the expected run at their times. */
    EXPECTED {
        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            return new Expected(world);
        }
    },
    /** Offers help at an event if its text asks or urges, and no word of completion follows. */
    CUES {
        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            return new Gated(
                    world, event -> CUE.matcher(String.valueOf(event.text())).find());
        }
    },
    /** Offers help at every event until the user declines; each refusal doubles the pause for events of this function. */
    BACKOFF {
        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            return new Backoff(world);
        }
    },
    /** Offers help at an event with the probability 0.2. */
    RANDOM {
        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            return new Chance(0.2).start(world, seed);
        }
    },
    /** Offers help where the gate of a cascade opens, with the calls of its reasoner; see {@link CascadeAgent.Source}. */
    CASCADE {
        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            throw new UsageException("--agent cascade needs --cascade DIR");
        }
    },
    /** Offers help where a gate opens, with the content of the expected run; see {@link CascadeAgent.Source}. */
    GATE {
        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            throw new UsageException("--agent gate needs --gate RUN");
        }
    },
    /** Lets language models observe and execute; see {@link ChatPlayer}. */
    CHAT {
        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            throw new UsageException("--agent chat needs --observe-model FILE");
        }
    };

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
        public ProactiveAgent start(ScenarioWorld world, long seed) {
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

    @Override
    public String id() {
        return EnumName.of(this);
    }

    /** Returns the assistant of an episode that repeats what it did. */
    public static ProactiveAgent replay(Episode episode) {
        return new Replay(episode);
    }

    /** Offers help at the events that a gate lets pass. */
    static class Gated implements ProactiveAgent {
        private final ExpectedRun run;
        private final Predicate<Seen> gate;
        private boolean open;

        Gated(ScenarioWorld world, Predicate<Seen> gate) {
            this.run = new ExpectedRun(world);
            this.gate = gate;
        }

        @Override
        public Act observe(Observation seen) {
            if (open && declined(seen)) {
                run.declined();
            }
            open = false;
            List<Seen> passed = seen.seen().stream()
                    .filter(event -> event.kind() == Kind.EVENT)
                    .filter(gate)
                    .toList();
            if (passed.isEmpty()) {
                return new Silence();
            }
            Offer offer = run.skipToOffer();
            open = offer != null;
            return offer == null
                    ? new Offer(
                            "Can I help with this: "
                                    + passed.get(passed.size() - 1).text(),
                            List.of())
                    : offer;
        }

        @Override
        public Act execute(Observation seen) {
            if (!open && noCalls(seen)) {
                return new Report("There is nothing that I can do.");
            }
            if (accepted(seen)) {
                run.accepted();
            }
            open = false;
            return run.execute();
        }

        private static boolean noCalls(Observation seen) {
            return seen.seen().stream().noneMatch(one -> one.kind() == Kind.CALL);
        }
    }

    private static boolean accepted(Observation seen) {
        return seen.seen().stream().anyMatch(one -> one.call().equals(Scenario.ACCEPT));
    }

    private static boolean declined(Observation seen) {
        return seen.seen().stream()
                .anyMatch(one -> one.kind() == Kind.REPLY && !one.call().equals(Scenario.ACCEPT));
    }

    private static final class Expected implements ProactiveAgent {
        private final ExpectedRun run;

        Expected(ScenarioWorld world) {
            this.run = new ExpectedRun(world);
        }

        @Override
        public Act observe(Observation seen) {
            if (declined(seen)) {
                run.declined();
            }
            return run.observe();
        }

        @Override
        public Act execute(Observation seen) {
            if (accepted(seen)) {
                run.accepted();
            }
            return run.execute();
        }
    }

    private static final class Backoff implements ProactiveAgent {
        private static final double FIRST_PAUSE = 900; // seconds
        private final Map<String, Double> until = new HashMap<>();
        private final Map<String, Integer> refusals = new HashMap<>();
        private final Gated gated;
        private String offered = "";
        private double now;

        Backoff(ScenarioWorld world) {
            this.gated = new Gated(world, event -> {
                boolean passes = until.getOrDefault(event.call(), 0.0) <= now;
                offered = passes ? event.call() : offered;
                return passes;
            });
        }

        @Override
        public Act observe(Observation seen) {
            now = seen.t();
            if (declined(seen)) {
                int times = refusals.merge(offered, 1, Integer::sum);
                until.put(offered, now + FIRST_PAUSE * Math.pow(2, times - 1.0));
            }
            return gated.observe(seen);
        }

        @Override
        public Act execute(Observation seen) {
            return gated.execute(seen);
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
        public Act observe(Observation seen) {
            return steps.isEmpty() ? new Silence() : act(steps.remove());
        }

        @Override
        public Act execute(Observation seen) {
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
