package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.sets.SftExample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FusedAdamWTest {
    private static final int STEPS = 3;
    private static final AdamWSettings SETTINGS = new AdamWSettings(0.9, 0.99, 1e-8, 0.01);

    @TempDir
    private Path folder;

    private static TrainableDecoder decoder() {
        return TrainableDecoder.full(ModelInit.random(TinyModels.config(40, 64, true), 3));
    }

    private static void step(TrainableDecoder decoder, FusedAdamW optimizer) {
        List<SftExample> examples = SftLossTest.examples(4, 1);
        new SftLoss(decoder, new ComputeSettings(Precision.FP32, false, false))
                .backward(examples, SftBatch.supervisedTokens(examples));
        optimizer.step(1e-2, 1.0);
    }

    /** Returns a decoder's first weights after another step. */
    private static Map<String, float[]> stepped(Path file, long steps) {
        Map<String, float[]> weights = new LinkedHashMap<>();
        try (TrainableDecoder decoder = decoder()) {
            step(decoder, FusedAdamW.read(file, decoder, SETTINGS, steps));
            decoder.parameters().forEach((name, array) -> weights.put(name, array.toFloatArray()));
        }
        return weights;
    }

    private static double farthest(Map<String, float[]> some, Map<String, float[]> others) {
        double farthest = 0;
        for (Map.Entry<String, float[]> one : some.entrySet()) {
            float[] other = Objects.requireNonNull(others.get(one.getKey()));
            for (int i = 0; i < other.length; i++) {
                farthest = Math.max(farthest, Math.abs((double) one.getValue()[i] - other[i]));
            }
        }
        return farthest;
    }

    /** Older versions counted none: every parameter had made the training's steps. */
    @Test
    void aFileWithoutCountsGoesOnAsOneThatHasThem() throws IOException {
        Path counting = folder.resolve("counting.safetensors");
        try (TrainableDecoder decoder = decoder()) {
            FusedAdamW optimizer = FusedAdamW.fresh(decoder, SETTINGS);
            for (int step = 0; step < STEPS; step++) {
                step(decoder, optimizer);
            }
            optimizer.write(counting);
        }
        Path older = folder.resolve("older.safetensors");
        Map<String, SafeTensors.Tensor> kept = new LinkedHashMap<>();
        try (SafeTensors file = SafeTensors.open(counting)) {
            file.entries().forEach((name, entry) -> {
                if (!name.startsWith("step.")) {
                    kept.put(name, SafeTensors.Tensor.ofFloats(entry.shape(), file.floats(name)));
                }
            });
            assertThat(file.entries()).hasSize(kept.size() / 2 * 3);
        }
        SafeTensors.write(older, kept, Map.of());

        Map<String, float[]> expected = stepped(counting, 0);
        assertThat(farthest(expected, stepped(older, STEPS))).isCloseTo(0, within(1e-7));
        assertThat(farthest(expected, stepped(older, 0)))
                .as("another count corrects the moments' bias otherwise")
                .isGreaterThan(1e-4);
    }
}
