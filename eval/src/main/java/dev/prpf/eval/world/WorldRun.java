package dev.prpf.eval.world;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LineFile;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.Users;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
    private static final String LAST = "\"kind\":\"end\"";

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
        int before = complete(out);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (LineFile lines = LineFile.open(out, (number, line) -> {});
                Progress progress = Progress.resume("play", total, before)) {
            Deque<Future<String>> playing = new ArrayDeque<>();
            int started = before;
            for (int done = before; done < total; done++) {
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
            return total - before;
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

    /** Returns the number of complete episodes of a file, and truncates the file after them. */
    private int complete(Path file) {
        if (!Files.exists(file)) {
            return 0;
        }
        return IoFailure.whileReading(file, () -> {
            long read = 0;
            long complete = 0;
            int episodes = 0;
            try (BufferedReader lines = Files.newBufferedReader(file);
                    FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (read == complete) {
                        requireOwn(file, episodes, line);
                    }
                    read += line.getBytes(StandardCharsets.UTF_8).length + 1L;
                    if (line.contains(LAST) && read <= channel.size()) {
                        complete = read;
                        episodes++;
                    }
                }
                channel.truncate(complete);
            }
            return episodes;
        });
    }

    /** Refuses a header of another run. A half-written header is truncated like the steps of an incomplete episode. */
    private void requireOwn(Path file, int number, String header) {
        boolean own = header.contains("\"seed\":" + (seed + number) + ",")
                && header.contains("\"execute\":\"" + EnumName.of(agent) + "\"")
                && header.contains("\"user\":\"" + EnumName.of(user) + "\"");
        if (header.endsWith("}") && (!own || number >= scenarios.size() * runs)) {
            throw new InvalidDataException(file + ": episode " + number + " is of another run; name another file");
        }
    }
}
