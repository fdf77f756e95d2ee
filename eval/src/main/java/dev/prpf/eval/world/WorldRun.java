package dev.prpf.eval.world;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.LineFile;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.Users;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Plays scenarios several times each, several episodes at a time, and appends them to one file in the order of their numbers. A run that
 * was stopped resumes after the last complete episode; the file equals that of an uninterrupted run.
 *
 * @param scenarios files
 * @param runs episodes of each scenario
 * @param seed of the first episode; each episode adds its number
 */
record WorldRun(
        List<Path> scenarios, int runs, EpisodeRunner.TurnRule rule, Users user, Agents agent, long seed, int threads) {
    /** Plays one episode, by its number. */
    Episode play(int number) {
        Path file = scenarios.get(number / runs);
        Scenario scenario = Scenario.read(file);
        long own = seed + number;
        ScenarioWorld world = ScenarioWorld.open(scenario, file.toAbsolutePath().resolveSibling("."), own);
        int run = number % runs;
        return new EpisodeRunner(rule, world, user.start(world, own), agent.start(world, own))
                .play(
                        scenario.scenario() + "-" + run,
                        run,
                        own,
                        Map.of(
                                "user",
                                EnumName.of(user),
                                "observe",
                                EnumName.of(agent),
                                "execute",
                                EnumName.of(agent)));
    }

    /**
     * Plays all episodes that a file does not hold.
     *
     * @return the number of episodes that were played
     * @throws dev.prpf.base.error.PrpfException 65 if the file holds episodes of another run, 75 after a signal to stop
     */
    int play(Path out, StopSignal stop) {
        int total = scenarios.size() * runs;
        Resumed resumed = new Resumed(out);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (LineFile lines = LineFile.open(out, (number, line) -> resumed.line(line), WorldRun::isLast);
                Progress progress = Progress.resume("play", total, resumed.episodes)) {
            Deque<Future<String>> playing = new ArrayDeque<>();
            int started = resumed.episodes;
            for (int done = started; done < total; done++) {
                while (started < Math.min(total, done + 2 * threads)) {
                    int number = started++;
                    playing.add(pool.submit(() -> text(play(number))));
                }
                lines.append(result(playing.remove()));
                lines.flush();
                progress.step();
                if (stop.requested() && done + 1 < total) {
                    throw StopSignal.savedIn(done + 1L, out);
                }
            }
            return total - resumed.episodes;
        } finally {
            pool.shutdownNow();
        }
    }

    private static String result(Future<String> playing) {
        try {
            return playing.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the lines of an episode without the last line feed, which the file adds. */
    private static String text(Episode episode) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        EpisodeFile.write(out, episode);
        return out.toString(StandardCharsets.UTF_8).stripTrailing();
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
            if (!inside && !isOwn(line)) {
                throw new InvalidDataException(
                        file + ": episode " + episodes + " is of another run; name another file");
            }
            inside = !isLast(line);
            episodes += inside ? 0 : 1;
        }

        private boolean isOwn(String header) {
            return episodes < scenarios.size() * runs
                    && header.contains("\"seed\":" + (seed + episodes) + ",")
                    && header.contains("\"execute\":\"" + EnumName.of(agent) + "\"")
                    && header.contains("\"user\":\"" + EnumName.of(user) + "\"");
        }
    }
}
