package dev.prpf.par.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.Precision.PrecisionChoice;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.training.ParGrpoConfig.GrpoSampling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class RolloutRunTest {
    /** One batch of 4 responses: 4 prompts a chunk. */
    private static final RolloutSampling SAMPLING =
            new RolloutSampling(4, 1, 0, 1, 24, true, 4, PrecisionChoice.FP32, 7);

    @TempDir
    private Path folder;

    private TinyPolicy policy;

    @BeforeEach
    void make() throws IOException {
        policy = new TinyPolicy(Files.createDirectory(folder.resolve("tokenizer")));
    }

    @AfterEach
    void close() {
        policy.close();
    }

    private Path file(String run) {
        return folder.resolve(run).resolve(RolloutRun.FILE);
    }

    private String metrics(String run) throws IOException {
        return Files.readString(folder.resolve(run).resolve("metrics.jsonl"));
    }

    private void run(String name, List<PromptExample> prompts, RolloutSampling sampling, Consumer<StopSignal> before) {
        RunDescription description = new RunDescription("data rollout-set", List.of(), "x: 1\n", Map.of());
        try (RunDirectory run = RunDirectory.open(folder.resolve(name), Resume.AUTO, description);
                StopSignal stop = StopSignal.install()) {
            before.accept(stop);
            RolloutProvenance provenance = TinyPolicy.provenance(sampling);
            GroupSampler sampler = policy.sampler(sampling.batchSize());
            Path file = new RolloutRun(
                            (part, cancelled) -> sampler.sample(policy.decoder, provenance, part, cancelled),
                            provenance,
                            run,
                            sampling)
                    .run(prompts, stop);
            assertThat(file).isEqualTo(file(name));
        }
    }

    private void run(String name, List<PromptExample> prompts) {
        run(name, prompts, SAMPLING, stop -> {});
    }

    @Test
    void promptsGetGroupsAndChunksMetrics() throws IOException {
        run("whole", policy.prompts(10));
        assertThat(Files.readAllLines(file("whole")))
                .extracting(line -> line.substring(0, line.indexOf(',')))
                .containsExactly(policy.prompts(10).stream()
                        .map(p -> "{\"id\":\"" + p.id() + "\"")
                        .toArray(String[]::new));
        assertThat(metrics("whole").lines().map(line -> line.substring(0, line.indexOf(','))))
                .containsExactly("{\"step\":4", "{\"step\":8", "{\"step\":10");
        assertThat(metrics("whole")).contains("\"reward\":", "\"completions/clipped_ratio\":0.0");
    }

    /** Simulates a kill at any byte, with or without the metrics of a chunk. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.1, 0.35, 0.5, 0.81, 0.99, 1})
    void interruptedRunGivesTheSameFile(double share) throws IOException {
        List<PromptExample> prompts = policy.prompts(10);
        run("whole", prompts);
        run("cut", prompts);
        byte[] bytes = Files.readAllBytes(file("cut"));
        Files.write(file("cut"), Arrays.copyOf(bytes, (int) (share * bytes.length)));
        run("cut", prompts);
        assertThat(file("cut")).hasSameBinaryContentAs(file("whole"));
        assertThat(metrics("cut")).isEqualTo(metrics("whole"));
    }

    @Test
    void signalEndsWith75AndKeepsTheGroups() throws IOException {
        List<PromptExample> prompts = policy.prompts(40);
        run("whole", prompts);
        assertThatThrownBy(() -> run("stopped", prompts, SAMPLING, this::requestOnceThereIsAGroup))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.CHECKPOINTED))
                .hasMessageContaining("--run-dir " + folder.resolve("stopped"));
        assertThat(Files.readAllLines(file("stopped"))).hasSizeBetween(1, 39);
        assertThatThrownBy(() -> run("stopped", prompts, SAMPLING, StopSignal::request))
                .hasMessageContaining("stopped by a signal");
        run("stopped", prompts);
        assertThat(file("stopped")).hasSameBinaryContentAs(file("whole"));
        assertThat(metrics("stopped")).isEqualTo(metrics("whole"));
    }

    private void requestOnceThereIsAGroup(StopSignal stop) {
        Thread watcher = new Thread(() -> {
            try {
                while (!Files.exists(file("stopped")) || Files.size(file("stopped")) == 0) {
                    Thread.sleep(1);
                }
                stop.request();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        watcher.setDaemon(true);
        watcher.start();
    }

    @Test
    void aFinishedFileIsNotSampledAgain() throws IOException {
        run("done", policy.prompts(3));
        String before = Files.readString(file("done"));
        // a stop that comes first would end any sampling with 75
        run("done", policy.prompts(3), SAMPLING, StopSignal::request);
        assertThat(Files.readString(file("done"))).isEqualTo(before);
    }

    @Test
    void aFileOfOtherRolloutsIsRefused() {
        run("taken", policy.prompts(3));
        refused(() -> run("taken", policy.prompts(2)), "rollouts.jsonl:3: id \"s2\" is not a prompt of this run");
        RolloutSampling hotter = new RolloutSampling(4, 1.5, 0, 1, 24, true, 4, PrecisionChoice.FP32, 7);
        refused(
                () -> run("taken", policy.prompts(3), hotter, stop -> {}),
                "rollouts.jsonl:1: its rollouts come from",
                "temperature=1.5",
                "one policy, prompt, reward and sampling setting");
    }

    @Test
    void fileWithDuplicateIdsOrInvalidLinesIsRejected() throws IOException {
        run("twice", policy.prompts(2));
        String text = Files.readString(file("twice"));
        Files.writeString(file("twice"), text + text);
        refused(
                () -> run("twice", policy.prompts(2)),
                "rollouts.jsonl:3: its id is a duplicate of an earlier line's",
                "has one group");
        Files.writeString(file("twice"), "{}\n");
        refused(() -> run("twice", policy.prompts(2)), "rollouts.jsonl:1: is no rollout group");
    }

    private static void refused(Runnable run, String... parts) {
        assertThatThrownBy(run::run)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }

    @Test
    void settingsOutOfRangeAreRejected() {
        assertThatThrownBy(() -> new RolloutSampling(1, 1, 0, 1, 24, true, 4, PrecisionChoice.FP32, 7))
                .hasMessage("group-size = 1 must be at least 2: a single response cannot be compared");
        assertThatThrownBy(() -> new RolloutSampling(8, 0, 0, 1, 24, true, 4, PrecisionChoice.FP32, 7))
                .hasMessage("temperature = 0.0 must be > 0");
        assertThatThrownBy(() -> new RolloutSampling(8, 1, 0, 1.1, 24, true, 4, PrecisionChoice.FP32, 7))
                .hasMessage("top-p = 1.1 must be in (0, 1]");
        assertThatThrownBy(() -> new GrpoSampling(8, 1, -1, 1, 24, 4)).hasMessage("top-k = -1 must be at least 0");
        assertThatThrownBy(() -> new GrpoSampling(8, 1, 0, 1, 24, 0)).hasMessage("batch-size = 0 must be at least 1");
        assertThatThrownBy(() -> new RolloutProvenance.Settings(1, 0, 1, 0, false, 7))
                .hasMessage("max_new = 0 must be at least 1");
        assertThatThrownBy(() -> new RolloutProvenance.Settings(Double.POSITIVE_INFINITY, 0, 1, 1, false, 7))
                .hasMessage("temperature = Infinity must be > 0");
        assertThat(new RolloutSampling(8, 1, 0, 1, 24, true, 1, PrecisionChoice.FP32, 7).chunkSize())
                .isEqualTo(1);
    }
}
