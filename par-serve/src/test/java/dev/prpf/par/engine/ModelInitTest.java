package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class ModelInitTest {
    private static final DecoderConfig CONFIG = TinyModels.config(40, 64, true);
    private static final int WIDTH = 32;
    private static final int HEAD = 8;
    private static final double GAIN = 0.25;

    private static float[] values(DecoderWeights weights, String name) {
        return Objects.requireNonNull(weights.arrays().get(name)).toFloatArray();
    }

    @Test
    void theSameSeedGivesTheSameWeightsAndAnotherOthers() {
        ModelInit.Scale scale = new ModelInit.Scale(0.05, GAIN);
        try (DecoderWeights first = ModelInit.random(CONFIG, scale, 3);
                DecoderWeights again = ModelInit.random(CONFIG, scale, 3);
                DecoderWeights other = ModelInit.random(CONFIG, scale, 4)) {
            String name = "model.layers.1.self_attn.o_proj.weight";
            assertThat(values(again, name)).isEqualTo(values(first, name));
            assertThat(values(other, name)).isNotEqualTo(values(first, name));
        }
    }

    /** Two query heads share a value head: both attending to one place add up to the gain, in the value's directions. */
    @Test
    void whatAllHeadsAttendToComesOutAsItWasTimesTheGain() {
        try (DecoderWeights weights = ModelInit.random(CONFIG, new ModelInit.Scale(0.05, GAIN), 3)) {
            for (int layer = 0; layer < 2; layer++) {
                float[] value = values(weights, "model.layers." + layer + ".self_attn.v_proj.weight"); // (2 * 8, 32)
                float[] output = values(weights, "model.layers." + layer + ".self_attn.o_proj.weight"); // (32, 4 * 8)
                double[] seen = new double[WIDTH];
                for (int d = 0; d < WIDTH; d++) {
                    seen[d] = value[5 * WIDTH + d];
                }
                double[] out = through(value, output, seen);
                for (int d = 0; d < WIDTH; d++) {
                    assertThat(out[d]).isCloseTo(GAIN * seen[d], within(1e-6));
                }
            }
        }
    }

    private static double[] through(float[] value, float[] output, double[] seen) {
        double[] out = new double[WIDTH];
        for (int head = 0; head < 4; head++) {
            for (int h = 0; h < HEAD; h++) {
                double v = 0;
                for (int d = 0; d < WIDTH; d++) {
                    v += value[(head / 2 * HEAD + h) * WIDTH + d] * seen[d];
                }
                for (int d = 0; d < WIDTH; d++) {
                    out[d] += output[d * WIDTH + head * HEAD + h] * v;
                }
            }
        }
        return out;
    }

    @Test
    void withoutAGainEveryMatrixIsRandomOfTheRangeAskedFor() {
        try (DecoderWeights weights = ModelInit.random(CONFIG, new ModelInit.Scale(0.05, 0), 3)) {
            weights.arrays().forEach((name, array) -> {
                if (array.getShape().dimension() > 1) {
                    double sum = 0;
                    float[] values = array.toFloatArray();
                    for (float v : values) {
                        sum += (double) v * v;
                    }
                    assertThat(Math.sqrt(sum / values.length)).as(name).isCloseTo(0.05, within(0.006));
                }
            });
        }
    }

    @Test
    void settingsOutsideTheirRangeAreNamed() {
        assertThatThrownBy(() -> new ModelInit.Scale(0, 0)).hasMessageContaining("initializer-range = 0.0");
        assertThatThrownBy(() -> new ModelInit.Scale(0.02, 1.5)).hasMessageContaining("copying-gain = 1.5");
        assertThatThrownBy(() -> new ModelInit.Scale(0.02, Double.NaN)).hasMessageContaining("copying-gain = NaN");
    }
}
