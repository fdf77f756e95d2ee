package dev.prpf.eval.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.run.StopSignal;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.Users;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorldRunTest {
    @TempDir
    private Path folder;

    private final List<Path> scenarios = new ArrayList<>();

    @BeforeEach
    void scenarios() throws IOException {
        for (String name : List.of("taxi.yaml", "train.yaml")) {
            try (InputStream in = WorldRunTest.class.getResourceAsStream(name)) {
                Files.copy(in, folder.resolve(name));
            }
        }
        String text = Files.readString(folder.resolve("train.yaml"))
                .replace("app: taxi}", "app: taxi.yaml}")
                .replace("limits: {turns: 6}", "noise: [{call: Taxi.notify, per-hour: 1, with: [{text: Buy now}]}]");
        for (String name : List.of("one", "two")) {
            scenarios.add(Files.writeString(
                    folder.resolve(name + ".yaml"), text.replace("scenario: train", "scenario: " + name)));
        }
    }

    private WorldRun run(int threads, long seed) {
        return new WorldRun(scenarios, 3, EpisodeRunner.TurnRule.DAY, Users.RULES, Agents.RANDOM, seed, threads);
    }

    private byte[] played(Path out, int threads) throws IOException {
        try (StopSignal stop = StopSignal.install()) {
            run(threads, 7).play(out, stop);
        }
        return Files.readAllBytes(out);
    }

    @Test
    void equalSeeds_giveEqualBytes_withAnyNumberOfThreads() throws IOException {
        byte[] first = played(folder.resolve("a.jsonl"), 1);
        assertThat(played(folder.resolve("b.jsonl"), 4)).isEqualTo(first);
        List<String> names = new ArrayList<>();
        new EpisodeFile()
                .read(
                        folder.resolve("b.jsonl"),
                        episode -> names.add(episode.header().episode()));
        assertThat(names).containsExactly("one-0", "one-1", "one-2", "two-0", "two-1", "two-2");
    }

    @Test
    void aFileThatWasCutAnywhere_isCompletedToTheSameBytes() throws IOException {
        byte[] whole = played(folder.resolve("a.jsonl"), 2);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 20; i++) {
            Path out = folder.resolve("cut" + i + ".jsonl");
            Files.write(out, Arrays.copyOf(whole, random.nextInt(whole.length)));
            assertThat(played(out, 2)).isEqualTo(whole);
        }
    }

    @Test
    void aStoppedRunResumes() throws IOException {
        byte[] whole = played(folder.resolve("a.jsonl"), 2);
        Path out = folder.resolve("b.jsonl");
        try (StopSignal stop = StopSignal.install()) {
            stop.request();
            assertThatThrownBy(() -> run(2, 7).play(out, stop))
                    .hasMessageContaining("stopped by a signal after step 1, saved in " + out);
        }
        assertThat(played(out, 2)).isEqualTo(whole);
    }

    @Test
    void aFileOfAnotherRun_isRefused() throws IOException {
        Path out = folder.resolve("a.jsonl");
        byte[] whole = played(out, 1);
        try (StopSignal stop = StopSignal.install()) {
            assertThatThrownBy(() -> run(1, 8).play(out, stop))
                    .hasMessage(out + ": episode 0 is of another run; name another file");
        }
        assertThat(Files.readAllBytes(out)).isEqualTo(whole);
    }

    @Test
    void aFileOfAnotherKind_isRefusedAndUnchanged() throws IOException {
        Path own = scenarios.get(0);
        byte[] whole = Files.readAllBytes(own);
        try (StopSignal stop = StopSignal.install()) {
            assertThatThrownBy(() -> run(1, 7).play(own, stop))
                    .hasMessage(own + ": episode 0 is of another run; name another file");
        }
        assertThat(Files.readAllBytes(own)).isEqualTo(whole);
    }
}
