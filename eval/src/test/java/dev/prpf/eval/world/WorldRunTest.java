package dev.prpf.eval.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.run.StopSignal;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.data.world.scenario.ScenarioCheck;
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
import org.junit.jupiter.api.Timeout;
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
        return new WorldRun(
                ScenarioCheck.read(scenarios),
                3,
                EpisodeRunner.TurnRule.DAY,
                Users.RULES,
                Agents.RANDOM,
                seed,
                threads);
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
    void runsOfNeighbouringSeeds_shareNoSeed() {
        List<Long> seeds = new ArrayList<>();
        for (long seed : List.of(0L, 1L)) {
            for (int run = 0; run < 3; run++) {
                seeds.add(run(1, seed).play(run).header().seed());
            }
        }
        assertThat(seeds).doesNotHaveDuplicates().contains(0L, 1L);
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
            assertThatThrownBy(() -> run(1, 8).play(out, stop)).hasMessage(refused(out, "seed is 7, must be 8"));
            WorldRun event = new WorldRun(
                    run(1, 7).scenarios(), 3, EpisodeRunner.TurnRule.EVENT, Users.RULES, Agents.RANDOM, 7, 1);
            assertThatThrownBy(() -> event.play(out, stop))
                    .hasMessage(refused(out, "turns is \"day\", must be \"event\""));
            WorldRun two = new WorldRun(
                    run(1, 7).scenarios(), 2, EpisodeRunner.TurnRule.DAY, Users.RULES, Agents.RANDOM, 7, 1);
            assertThatThrownBy(() -> two.play(out, stop)).hasMessage(refused(out, "runs is 3, must be 2"));
            Path taxi = folder.resolve("taxi.yaml");
            Files.writeString(taxi, Files.readString(taxi).replace("'fare': 5", "'fare': 6"));
            assertThatThrownBy(() -> run(1, 7).play(out, stop)).hasMessageContaining("of another run: content is \"");
        }
        assertThat(Files.readAllBytes(out)).isEqualTo(whole);
    }

    private static String refused(Path out, String difference) {
        return out + ": episode 0 is of another run: " + difference
                + "; name another file, or repeat that run's command";
    }

    @Test
    @Timeout(30)
    void aSignalStopsAnEpisodeThatDoesNotEnd() throws Exception {
        Path taxi = folder.resolve("taxi.yaml");
        Files.writeString(taxi, Files.readString(taxi) + "tick: \"var n = 0; while (n < 200000) { n += 1 }\"\n");
        Path out = folder.resolve("long.jsonl");
        WorldRun run = new WorldRun(
                ScenarioCheck.read(scenarios), 100_000, EpisodeRunner.TurnRule.DAY, Users.RULES, Agents.ALWAYS, 7, 2);
        try (StopSignal stop = StopSignal.install()) {
            stop.request();
            assertThatThrownBy(() -> run.play(out, stop)).hasMessageContaining("stopped by a signal after step 0");
        }
        assertThat(out).isEmptyFile();
    }

    @Test
    void anEventThatFailsInTheRun_isCountedAndNamed() throws IOException {
        Path one = Files.writeString(
                folder.resolve("one.yaml"),
                Files.readString(scenarios.get(0)).replace("text: Buy now", "texts: Buy now"));
        assertThatThrownBy(() -> ScenarioCheck.read(List.of(one)))
                .hasMessage(one + ": noise: notify: there is no argument texts; arguments: [text]");
        Path taxi = folder.resolve("taxi.yaml");
        String script = "refuse(text.startsWith('A new colour') && empty(state.rides), 'Empty'); 1";
        Files.writeString(
                taxi, Files.readString(taxi).replace("run: state.notices.add(text)", "run: \"" + script + "\""));
        Files.writeString(one, Files.readString(one).replaceFirst("noise: .*", ""));
        Path out = folder.resolve("a.jsonl");
        try (StopSignal stop = StopSignal.install()) {
            WorldRun run = new WorldRun(
                    ScenarioCheck.read(List.of(one)), 1, EpisodeRunner.TurnRule.DAY, Users.RULES, Agents.SILENT, 7, 1);
            assertThat(run.play(out, stop)).isEqualTo(new WorldRun.Played(1, 1));
        }
        assertThat(Files.readString(out)).contains("\"failed_events\":{\"late\":\"Empty\"}");
    }

    @Test
    void theScenarioOfThePage_isPlayedToItsGoal() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "WORLDS.md"));
        int from = page.indexOf("scenario: ");
        Path file = Files.writeString(folder.resolve("page.yaml"), page.substring(from, page.indexOf("```", from)));
        for (EpisodeRunner.TurnRule rule : List.of(EpisodeRunner.TurnRule.EVENT, EpisodeRunner.TurnRule.DAY)) {
            Path out = folder.resolve(rule + ".jsonl");
            List<ScenarioCheck.Checked> read = ScenarioCheck.read(List.of(file));
            try (StopSignal stop = StopSignal.install()) {
                new WorldRun(read, 1, rule, Users.RULES, Agents.EXPECTED, 1, 1).play(out, stop);
            }
            new EpisodeFile().read(out, episode -> {
                assertThat(EpisodeCheck.faults(read.get(0).scenario(), episode, EpisodeMetrics.Mode.STRICT))
                        .isEmpty();
                assertThat(String.valueOf(episode.header().facts().get(EpisodeRunner.MET_GOALS)))
                        .startsWith("{\"g1\":120");
            });
        }
    }

    @Test
    void aFileOfAnotherKind_isRefusedAndUnchanged() throws IOException {
        Path own = scenarios.get(0);
        byte[] whole = Files.readAllBytes(own);
        try (StopSignal stop = StopSignal.install()) {
            assertThatThrownBy(() -> run(1, 7).play(own, stop))
                    .hasMessage(refused(own, "the line is no header of an episode"));
        }
        assertThat(Files.readAllBytes(own)).isEqualTo(whole);
    }
}
