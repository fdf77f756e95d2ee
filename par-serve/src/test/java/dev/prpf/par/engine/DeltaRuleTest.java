package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The gated delta rule of Qwen3.5's linear layers, position by position and in chunks. */
class DeltaRuleTest {
    private static final int ROWS = 3;
    private static final int KEY = 8;
    private static final int VALUE = 5;

    private final PtNDManager manager = TorchRuntime.newManager();
    private final Random random = new Random(17);

    private PtNDArray array(float[] values, long... shape) {
        return Tensors.create(manager, shape, values);
    }

    private PtNDArray normal(double scale, long... shape) {
        float[] values = new float[(int) Arrays.stream(shape).reduce(1, (a, b) -> a * b)];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (random.nextGaussian() * scale);
        }
        return array(values, shape);
    }

    /** Keys of length 1, as the layers make them: longer ones would let the state grow without bound. */
    private PtNDArray unit(long... shape) {
        return Script.decoder().tensor(manager, "unit", normal(1, shape));
    }

    private PtNDArray inUnitInterval(long... shape) {
        float[] values = new float[(int) Arrays.stream(shape).reduce(1, (a, b) -> a * b)];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextFloat();
        }
        return array(values, shape);
    }

    private static PtNDArray at(PtNDArray x, int t) {
        return (PtNDArray) x.get(new ai.djl.ndarray.index.NDIndex(":," + t + ":" + (t + 1)));
    }

    @ParameterizedTest
    @CsvSource({"1,0", "63,0", "64,0", "65,0", "130,0", "1,1", "63,1", "64,1", "65,1", "130,1"})
    void chunksEqualStepsWhateverTheLengthAndTheStateBefore(int length, double before) {
        PtNDArray q = unit(ROWS, length, KEY);
        PtNDArray k = unit(ROWS, length, KEY);
        PtNDArray v = normal(1, ROWS, length, VALUE);
        PtNDArray decay = inUnitInterval(ROWS, length).log();
        PtNDArray strength = inUnitInterval(ROWS, length);
        PtNDArray state = normal(before, ROWS, KEY, VALUE);

        PtNDArray[] chunks =
                Script.decoder().tensors(manager, "delta_chunks", q, k, v, decay, strength, state.duplicate());

        PtNDArray stepped = (PtNDArray) state.duplicate();
        for (int t = 0; t < length; t++) {
            float[] step = Script.decoder()
                    .tensor(manager, "delta_step", at(q, t), at(k, t), at(v, t), at(decay, t), at(strength, t), stepped)
                    .toFloatArray();
            assertThat(at(chunks[0], t).toFloatArray()).as("position " + t).containsExactly(step, within(2e-5f));
        }
        assertThat(chunks[1].toFloatArray()).containsExactly(stepped.toFloatArray(), within(2e-5f));
        manager.close();
    }

    /** Worked by hand from S &lt;- e^g S; d = b (v - S'k); S &lt;- S + k d'; o = S'q. */
    @Test
    void threePositionsGiveTheNumbersWorkedByHand() {
        float r = (float) Math.sqrt(0.5);
        PtNDArray k = array(new float[] {1, 0, 0.6f, 0.8f, 0, 1}, 1, 3, 2);
        PtNDArray q = array(new float[] {r, 0, 0, r, 0.8f * r, 0.6f * r}, 1, 3, 2);
        PtNDArray v = array(new float[] {1, 2, 3, -1, 0.5f, 0.5f}, 1, 3, 2);
        PtNDArray g = array(new float[] {0.9f, 0.5f, 0.8f}, 1, 3).log();
        PtNDArray b = array(new float[] {0.5f, 1, 0.25f}, 1, 3);

        PtNDArray[] out =
                Script.decoder().tensors(manager, "delta_chunks", q, k, v, g, b, array(new float[4], 1, 2, 2));

        assertThat(out[0].toFloatArray())
                .containsExactly(
                        new float[] {0.353553f, 0.707107f, 1.612203f, -0.735391f, 1.520421f, -0.338421f},
                        within(1e-5f));
        assertThat(out[1].toFloatArray())
                .containsExactly(new float[] {1.568f, -0.224f, 1.493f, -0.499f}, within(1e-5f));
        manager.close();
    }
}
