package dev.prpf.eval.world;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LineFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Actor;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.data.world.World;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioCheck;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.agent.EpisodePolicy;
import dev.prpf.par.agent.ProactiveAgent;
import dev.prpf.par.agent.SimulatedUser;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Plays scenarios several times each, several episodes at a time, and appends them to one file in the order of their numbers. A run that
 * was stopped resumes after the last complete episode; the file equals that of an uninterrupted run.
 *
 * @param runs episodes of each scenario
 * @param seed the first run of scenario i has this seed plus i; each further run draws its seed from that one
 */
record WorldRun(
        List<ScenarioCheck.Checked> scenarios,
        int runs,
        EpisodeRunner.TurnRule rule,
        SimulatedUser.Source user,
        ProactiveAgent.Source agent,
        long seed,
        int threads) {
    private static final long POLL_MILLIS = 100;

    /**
     * The outcome of a run.
     *
     * @param failedEvents ids of events without effect, summed over the episodes
     */
    record Played(int episodes, int failedEvents) {}

    /** Plays one episode, by its number. */
    Episode play(int number) {
        long own = seed(number);
        ScenarioCheck.Checked scenario = scenarios.get(number / runs);
        ScenarioWorld world = scenario.open(own);
        int run = number % runs;
        String assistant = agent.id();
        EpisodePolicy policy = new EpisodePolicy(world, agent.policy());
        return new EpisodeRunner(rule, world, user.start(world, own), agent.start(world, own, policy), policy)
                .play(
                        scenario.scenario().scenario() + "-" + run,
                        run,
                        own,
                        Map.of("user", user.id(), "observe", assistant, "execute", assistant),
                        settings(number));
    }

    private long seed(int number) {
        long first = seed + number / runs;
        int run = number % runs;
        return run == 0 ? first : World.random(first, "run " + run).nextLong(1L << 48);
    }

    /** Returns everything that decides an episode; a file is resumed only with equal settings. */
    private Map<String, Object> settings(int number) {
        Map<String, Object> settings = new LinkedHashMap<>();
        ScenarioCheck.Checked scenario = scenarios.get(number / runs);
        settings.put("scenario", scenario.scenario().scenario());
        settings.put("turns", EnumName.of(rule));
        settings.put("user", user.settings());
        settings.put("agent", agent.settings());
        settings.put("runs", runs);
        settings.put("seed", seed);
        settings.put("content", AtomicFiles.sha256(JsonRecords.write(scenario).getBytes(UTF_8)));
        return settings;
    }

    /**
     * Plays all episodes that a file does not hold.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the file holds episodes of another run, 75 after a signal to stop
     */
    Played play(Path out, StopSignal stop) {
        int total = scenarios.size() * runs;
        int failed = 0;
        Resumed resumed = new Resumed(out);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (LineFile lines = LineFile.open(out, (number, line) -> resumed.line(line), WorldRun::isLast);
                Progress progress = Progress.resume("play", total, resumed.episodes)) {
            Deque<Future<Episode>> playing = new ArrayDeque<>();
            int started = resumed.episodes;
            for (int done = started; done < total; done++) {
                while (started < Math.min(total, done + 2 * threads)) {
                    int number = started++;
                    playing.add(pool.submit(() -> play(number)));
                }
                Episode episode = result(playing.remove(), stop, done, out);
                failed += Objects.requireNonNull(episode.header().facts().get(EpisodeRunner.FAILED_EVENTS))
                        .size();
                lines.append(text(out, episode));
                lines.flush();
                progress.step();
                if (stop.requested() && done + 1 < total) {
                    throw StopSignal.savedIn(done + 1L, out);
                }
            }
            return new Played(total - resumed.episodes, failed);
        } finally {
            pool.shutdownNow(); // interrupts episodes that are being played
        }
    }

    /**
     * Writes the labelled samples of all episodes of a file as records.
     *
     * @throws InvalidDataException if no episode has a labelled sample
     */
    void writeRecords(Path episodes, Path records) {
        List<Sample> labelled = new ArrayList<>();
        int[] number = {0};
        new EpisodeFile()
                .read(
                        episodes,
                        episode -> labelled.addAll(
                                Records.of(scenarios.get(number[0]++ / runs).scenario(), episode)));
        if (labelled.isEmpty()) {
            throw new InvalidDataException(episodes + ": has no accepted or rejected offer at a sample of the app "
                    + ScenarioWorld.PHONE + ", so " + records + " was not written"
                    + (rule == EpisodeRunner.TurnRule.PARE ? "; --turns pare ends after 220 s, try --turns day" : ""));
        }
        SampleWriter.write(records, labelled.iterator());
    }

    /** Waits for an episode; cancels the episode after a signal to stop. */
    private static Episode result(Future<Episode> playing, StopSignal stop, int done, Path out) {
        while (true) {
            try {
                return playing.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (stop.requested()) {
                    throw StopSignal.savedIn(done, out);
                }
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    /** Returns the lines of an episode without the last line feed, which the file adds. */
    private static String text(Path file, Episode episode) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        IoFailure.whileWriting(file, () -> EpisodeFile.write(out, episode));
        return out.toString(UTF_8).stripTrailing();
    }

    private static boolean isLast(String line) {
        return line.startsWith("{\"kind\":\"end\"");
    }

    /** Counts the complete episodes of a file and refuses those of another run. */
    private final class Resumed {
        private final Path file;
        private int episodes;
        private boolean inside;

        Resumed(Path file) {
            this.file = file;
        }

        void line(String line) {
            if (!inside) {
                difference(line).ifPresent(difference -> {
                    throw new InvalidDataException(file + ": episode " + episodes + " is of another run: " + difference
                            + "; name another file, or repeat that run's command");
                });
            }
            inside = !isLast(line);
            episodes += inside ? 0 : 1;
        }

        /** Returns how a header differs from that of the episode that this run plays. */
        private Optional<String> difference(String header) {
            if (episodes >= scenarios.size() * runs) {
                return Optional.of("this run has only " + episodes + " episodes");
            }
            JsonNode found;
            try {
                found = JsonRecords.read("", "header", header, Episode.Header.class)
                        .facts()
                        .getOrDefault(EpisodeRunner.SETTINGS, MissingNode.getInstance());
            } catch (InvalidDataException e) {
                return Optional.of("the line is no header of an episode");
            }
            JsonNode own = JsonRecords.tree(settings(episodes));
            return own.properties().stream()
                    .filter(setting -> !setting.getValue()
                            .asText()
                            .equals(found.path(setting.getKey()).asText()))
                    .findFirst()
                    .map(setting -> setting.getKey() + " is " + found.path(setting.getKey()) + ", must be "
                            + setting.getValue());
        }
    }

    /**
     * Collects the samples of a played day as labelled records. An accepted offer with its executed calls is the answer of its sample; after a
     * rejection the answer is silence. Samples without an offer, or with an ignored one, have no label and give no record.
     */
    private static final class Records {
        private final String profile;
        private final Episode episode;
        private final List<Sample> records = new ArrayList<>();
        private final List<FunctionCall> calls = new ArrayList<>();
        private EpisodeStep.@Nullable Event moment;
        private EpisodeStep.@Nullable Event offered;
        private String offer = "";
        private boolean executing;

        private Records(Scenario scenario, Episode episode) {
            Scenario.App phone = scenario.apps().get(ScenarioWorld.PHONE);
            JsonNode stated = phone == null ? null : phone.start().get("profile");
            this.profile = stated == null ? "" : stated.asText();
            this.episode = episode;
        }

        /** Returns the records of an episode, in order; empty without the app {@value ScenarioWorld#PHONE}. */
        static List<Sample> of(Scenario scenario, Episode episode) {
            Records records = new Records(scenario, episode);
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
}
