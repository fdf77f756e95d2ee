package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import dev.prpf.data.run.Resume;
import dev.prpf.data.run.RunDescription;
import dev.prpf.data.run.RunDirectory;
import dev.prpf.data.run.StopSignal;
import dev.prpf.par.model.DecoderWeights;
import dev.prpf.par.model.HuggingFaceDirectory;
import dev.prpf.par.model.ModelInit;
import dev.prpf.par.model.PrecisionChoice;
import dev.prpf.par.model.TinyModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SftTrainingTest {
    private static final AdamWSettings ADAMW = new AdamWSettings(0.9, 0.95, 1e-8, 0.01);

    /** Stands in for SIGKILL: nothing of the loop runs after it. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @TempDir
    Path folder;

    private Path model;

    @BeforeEach
    void writeModel() throws IOException {
        model = folder.resolve("start");
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(40, 64, true), 3)) {
            HuggingFaceDirectory.write(model, weights, null);
        }
    }

    private static SftConfig config(double learningRate, PrecisionChoice precision) {
        return new SftConfig(learningRate, 0.1, 3, 4, 2, false, false, 1.0, ADAMW, precision, null, 0.2, 3, 2, 17);
    }

    private SftResult train(String run, SftConfig config, Consumer<SftStep> listener) {
        RunDescription description = new RunDescription("par sft", List.of(), "x: 1\n", Map.of());
        try (RunDirectory directory = RunDirectory.open(folder.resolve(run), Resume.AUTO, description);
                StopSignal stop = StopSignal.install();
                SftTraining training = new SftTraining(
                        config, files(run), SftExampleSource.fixed(SftLossTest.examples(60, 4)), directory)) {
            return training.run(stop, listener);
        }
    }

    private String metrics(String run) throws IOException {
        return Files.readString(folder.resolve(run).resolve("metrics.jsonl"));
    }

    private byte[] weights(SftResult result) throws IOException {
        return Files.readAllBytes(result.model().resolve("model.safetensors"));
    }

    @Test
    void aRunKilledAtThreePointsGivesTheNumbersOfAnUndisturbedOne() throws IOException {
        SftConfig config = config(1e-2, PrecisionChoice.FP32);
        SftResult undisturbed = train("whole", config, step -> {});
        assertThat(undisturbed.steps()).isEqualTo(18);

        for (long point : new long[] {1, 7, 14}) {
            assertThatThrownBy(() -> train("killed", config, step -> {
                        if (step.step() >= point) {
                            throw new Killed();
                        }
                    }))
                    .isInstanceOf(Killed.class);
        }
        SftResult resumed = train("killed", config, step -> {});

        assertThat(metrics("killed")).isEqualTo(metrics("whole"));
        assertThat(weights(resumed)).isEqualTo(weights(undisturbed));
        assertThat(resumed.loss()).isEqualTo(undisturbed.loss());
        assertThat(resumed.tokens()).isEqualTo(undisturbed.tokens());
        assertThat(resumed.devLoss()).isEqualTo(undisturbed.devLoss());
    }

    @Test
    void metricsCarryTheNamesOfTrl() throws IOException {
        SftResult result = train("run", config(1e-2, PrecisionChoice.BF16), step -> {});
        List<String> lines = metrics("run").lines().toList();

        assertThat(lines.get(0))
                .contains(
                        "\"step\":3",
                        "\"loss\":",
                        "\"grad_norm\":",
                        "\"learning_rate\":",
                        "\"epoch\":0.5",
                        "\"num_tokens\":",
                        "\"mean_token_accuracy\":");
        assertThat(lines).filteredOn(line -> line.contains("eval_loss")).hasSize(3);
        assertThat(result.devLoss()).isNotNull();
        assertThat(result.examples()).isEqualTo(48);
    }

    @Test
    void aSignalSavesAndLeavesWithItsCode() {
        SftConfig config = config(1e-2, PrecisionChoice.FP32);
        RunDescription description = new RunDescription("par sft", List.of(), "x: 1\n", Map.of());
        try (RunDirectory directory = RunDirectory.open(folder.resolve("run"), Resume.AUTO, description);
                StopSignal stop = StopSignal.install();
                SftTraining training = new SftTraining(
                        config, files("run"), SftExampleSource.fixed(SftLossTest.examples(60, 4)), directory)) {
            assertThatThrownBy(() -> training.run(stop, step -> {
                        if (step.step() == 5) {
                            stop.request();
                        }
                    }))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.CHECKPOINTED));
        }
        assertThat(folder.resolve("run/checkpoints/step_5/optimizer.safetensors"))
                .exists();
        assertThat(folder.resolve("run/run.json")).content().contains("\"state\" : \"stopped\"");
    }

    @Test
    void aLossThatIsNotFiniteStopsTheRun() throws IOException {
        Path file = model.resolve("model.safetensors");
        byte[] bytes = Files.readAllBytes(file);
        java.util.Arrays.fill(bytes, bytes.length - 4000, bytes.length, (byte) 0xFF);
        Files.write(file, bytes);

        assertThatThrownBy(() -> train("run", config(1e-2, PrecisionChoice.FP32), step -> {}))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.DIVERGED))
                .hasMessageContainingAll("step 1", "loss", "NaN", "learning-rate");
    }

    private TrainingFiles files(String run) {
        return new TrainingFiles(model, folder.resolve(run).resolve("model"), null);
    }

    @Test
    void anExampleBeyondTheModelsPositionsAndASplitWithoutTrainingDataAreRefused() {
        SftExample example = new SftExample(new long[] {1, 2}, new long[] {3});

        assertThatThrownBy(() -> SftSplit.of(List.of(example), 2, 0, 1))
                .hasMessageContainingAll("3 tokens", "takes 2", "examples.max-length");
        assertThatThrownBy(() -> SftSplit.of(List.of(example), 8, 0.5, 1)).hasMessageContaining("1 are held out");
    }
}
