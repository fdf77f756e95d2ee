package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Slices;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.training.FusedAdamW;
import dev.prpf.par.training.TrainableDecoder;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A model with an embedding of many slices is trained, saved, loaded, merged and run. {@code .ci/nightly} sets {@code prpf.large-tensor-bytes} above
 * 2 GiB, the limit of a buffer, with slices of the default size.
 */
class LargeTensorTest {
    private static final String EMBEDDING = "model.embed_tokens.weight";
    private static final String QUERY = "model.layers.0.self_attn.q_proj.weight";
    private static final int WIDTH = 1024;
    private static final long SMALL = 4L * WIDTH * 2048;
    private static final long BYTES = Long.getLong("prpf.large-tensor-bytes", SMALL);
    private static final String LORA = "training.lora={rank: 2, alpha: 4, targets: [q_proj]}";

    @TempDir
    private static Path folder;

    private static Path data;
    private static Path base;

    private record Nothing() {}

    @BeforeAll
    static void writeOneExampleAndTheModel() throws IOException {
        SmallWorld world = SmallWorld.in(folder);
        JsonNode records = new ObjectMapper().readTree(world.data().toFile());
        data = Files.writeString(folder.resolve("one.json"), "[" + records.get(0) + "]");
        base = folder.resolve("large");
        DecoderConfig small = HuggingFaceDirectory.open(world.model()).config();
        DecoderConfig large = TinyModels.llama(
                Math.toIntExact(BYTES / (4 * WIDTH)),
                WIDTH,
                64,
                1,
                AttentionShape.of(4, 2, 8, 10_000),
                2048,
                true,
                small.tokens().end());
        try (DecoderWeights weights = ModelInit.drawn(large)) {
            inSlices(() -> HuggingFaceDirectory.write(base, weights, world.model()));
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void inSlices(Step step) throws IOException {
        Slices.of(BYTES == SMALL ? 100_000 : SafeTensors.sliceBytes(), () -> {
            step.run();
            return "";
        });
    }

    /** Trains one step with a checkpoint and prints its duration; returns the model's directory. */
    private static Path train(String run, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("sft", "--config"));
        arguments.add(SmallWorld.CONFIGS.resolve("reasoner-sft.yaml").toString());
        arguments.addAll(List.of("--reasoner=" + base, "--data=" + data, "--run-dir=" + folder.resolve(run), "--json"));
        for (String setting : List.of(
                "encoder.store=" + folder.resolve("store"),
                "examples.max-length=1024",
                "training.batch-size=1",
                "training.epochs=1",
                "training.dev-share=0",
                "training.selection=last",
                "training.samples=0",
                "training.precision=fp32")) {
            arguments.add("--set=" + setting);
        }
        arguments.addAll(List.of(more));
        long start = System.nanoTime();
        JsonNode result = new ObjectMapper().readTree(SmallWorld.run(0, arguments));
        System.err.printf("%s: %.0f s, %s%n", run, (System.nanoTime() - start) / 1e9, result.path("memory"));
        assertThat(result.path("steps").asInt()).isOne();
        return Path.of(result.path("model").asText());
    }

    private static boolean equal(Path one, Path other, String tensor) {
        try (SafeTensors a = SafeTensors.open(one.resolve("model.safetensors"));
                SafeTensors b = SafeTensors.open(other.resolve("model.safetensors"))) {
            return SafeTensors.equal(a, tensor, b, tensor);
        }
    }

    private static void assertRuns(Path model) throws IOException {
        String said = SmallWorld.run(
                0,
                List.of(
                        "generate",
                        "--reasoner=" + model,
                        "--ids=5,9,2",
                        "--max-new=2",
                        "--greedy",
                        "--ignore-eos",
                        "--dtype=fp32",
                        "--json"));
        assertThat(new ObjectMapper().readTree(said).path("ids")).hasSize(2);
    }

    private static Path checkpoint(String run) {
        CheckpointStore store = new CheckpointStore(folder.resolve(run).resolve("checkpoints"), 1);
        return Objects.requireNonNull(store.latest(), "a whole checkpoint").directory();
    }

    @Test
    void fullTrainingIsSavedAndLoaded() throws IOException {
        inSlices(() -> {
            Path trained = train("full");
            Path checkpoint = checkpoint("full");
            assertThat(equal(trained, base, EMBEDDING)).isFalse();
            assertThat(equal(trained, checkpoint, EMBEDDING)).isTrue();
            AtomicFiles.deleteTree(trained.resolve("model.safetensors"));

            TrainingFiles files = new TrainingFiles(base, trained, null);
            Path again = Files.createDirectory(folder.resolve("again"));
            try (TrainableDecoder decoder = files.open(checkpoint, null, Precision.FP32, 1)) {
                AdamWSettings adamw = new AdamWSettings(0.9, 0.95, 1e-8, 0);
                FusedAdamW optimizer = TrainingFiles.optimizer(checkpoint, decoder, adamw);
                files.checkpoint(again, decoder, optimizer, new Nothing());
            }
            for (String name : List.of("model.safetensors", "optimizer.safetensors")) {
                assertThat(Files.mismatch(again.resolve(name), checkpoint.resolve(name)))
                        .as("first byte of %s that differs", name)
                        .isEqualTo(-1);
            }
            AtomicFiles.deleteTree(checkpoint);
            assertRuns(again);
            AtomicFiles.deleteTree(again);
        });
    }

    @Test
    void adaptersAreMergedAndTheBaseKept() throws IOException {
        inSlices(() -> {
            Path merged = train("lora", "--set=" + LORA);
            assertThat(equal(merged, base, EMBEDDING)).isTrue();
            assertThat(equal(merged, base, QUERY)).isFalse();
            assertThat(checkpoint("lora").resolve("adapter_model.safetensors")).exists();
            assertRuns(merged);
            AtomicFiles.deleteTree(merged);
        });
    }
}
