package dev.prpf.mpp.network.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.host.Linear.MatrixProduct;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.junit.jupiter.api.Test;

class TapeTest {
    private static Value parameter(int rows, int columns, float... values) {
        Matrix matrix = Matrix.zeros(rows, columns);
        matrix.buffer().put(values);
        return new Value(matrix, Matrix.zeros(rows, columns));
    }

    private static float[] values(Matrix matrix) {
        float[] values = new float[matrix.rows() * matrix.columns()];
        matrix.buffer().get(values);
        return values;
    }

    @Test
    void theFirstContributionOverwritesAndTheOthersAdd() {
        Value value = parameter(2, 3);
        assertThat(value.hasGradient()).isFalse();
        assertThat(value.contribute()).isFalse();
        assertThat(value.contribute()).isTrue();
        assertThat(value.hasGradient()).isTrue();
        Value input = Value.of(Matrix.zeros(2, 3));
        assertThat(input.wantsGradient()).isFalse();
        assertThatThrownBy(input::gradient).hasMessage("a value of 2 x 3 has no gradient");
    }

    /** Attention overwrites columns of their gradients, so a second reader's would be lost. */
    @Test
    void queriesKeysAndValuesAreReadByAttentionOnly() {
        Tape tape = new Tape(1, 1, true);
        Value qkv = parameter(2, 6);
        NetworkShape.Transformer transformer = new NetworkShape.Transformer(2, 1, 1, 2, 0);
        Attention.multiHead(tape, qkv, qkv, null, transformer).contribute();
        qkv.contribute();
        assertThatThrownBy(tape::backwardSchedule)
                .hasMessage("queries, keys and values must be read by attention only");
    }

    @Test
    void backwardStepsRunInReverse() {
        Tape tape = new Tape(1, 1, true);
        List<String> order = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            tape.later(() -> tape.backward(List.of(() -> order.add(name)), List.of(), List.of(new Object())));
        }
        tape.backwardSchedule().run();
        assertThat(order).containsExactly("second", "first");
    }

    @Test
    void moreThanTwoThreadsShareAStepInLargeParts() {
        List<String> parts = new ArrayList<>();
        Step.Work work = (from, to) -> () -> parts.add(from + "-" + to);
        new Tape(1, 2, false).parts(100, 10, work).forEach(Runnable::run);
        new Tape(1, 6, false).parts(100, 10, work).forEach(Runnable::run);
        new Tape(1, 64, false).parts(100, 50, work).forEach(Runnable::run);
        assertThat(parts).containsExactly("0-100", "0-33", "33-66", "66-100", "0-50", "50-100");
    }

    @Test
    void sumsOfAStepsPartsAreAdded() {
        Tape tape = new Tape(1, 4, true);
        Value parameter = parameter(2, 2);
        List<float[]> first = List.of(new float[] {1, 2, 3, 4}, new float[] {10, 20, 30, 40});
        tape.sum(first, parameter);
        tape.sum(List.of(new float[] {100, 100, 100, 100}), parameter);
        tape.backwardSchedule().run();
        assertThat(values(parameter.gradient())).containsExactly(new float[] {111, 122, 133, 144}, within(1e-6f));
    }

    @Test
    void rowsAreSummedAndSoftenedAsWritten() {
        float[] values = new float[21];
        for (int i = 0; i < values.length; i++) {
            values[i] = i + 1;
        }
        assertThat(RowMath.sum(values)).isEqualTo(231);
        assertThat(RowMath.sum(values, 2, 4)).isEqualTo(7);
        float[] weights = {9, 0, (float) Math.log(3), -1e9f};
        RowMath.softmax(weights, 1, 4);
        assertThat(weights).containsExactly(new float[] {9, 0.25f, 0.75f, 0}, within(1e-6f));
        float[] gradients = {9, 9, 1, 3, 5};
        RowMath.softmaxGradients(weights, 1, gradients, 2, 3);
        assertThat(gradients).containsExactly(new float[] {9, 9, -0.375f, 0.375f, 0}, within(1e-6f));
    }

    @Test
    void reluCutsTheGradientOfExactlyTheZeros() {
        Tape tape = new Tape(1, 1, true);
        Value bias = parameter(1, 3, -1, Float.MIN_VALUE, 1e30f);
        Value y = Linear.append(tape, Value.of(Matrix.zeros(1, 1)), parameter(3, 1, 1, 1, 1), bias, true);
        y.contribute();
        tape.forwardSchedule().run();
        Schedule backward = tape.backwardSchedule();
        y.gradient().write(0, new float[] {2, 3, 4});
        backward.run();
        assertThat(values(y.matrix())).containsExactly(0, Float.MIN_VALUE, 1e30f);
        assertThat(values(bias.gradient())).containsExactly(0, 3, 4);
    }

    @Test
    void mismatchedMatricesAreRejectedBeforeBlas() {
        Matrix a = Matrix.zeros(2, 3);
        Matrix b = Matrix.zeros(4, 5);
        Matrix c = Matrix.zeros(2, 5);
        String message = "factors of 2 x 3 and 4 x 5 do not make a product of 2 x 5";
        assertThatThrownBy(() -> MatrixProduct.times(a, b, c, false)).hasMessage(message);
        assertThatThrownBy(() -> MatrixProduct.timesTransposed(a, b, c)).hasMessage(message);
        assertThatThrownBy(() -> MatrixProduct.transposedTimes(a, b, c, true)).hasMessage(message);
    }

    /** Row by row for few rows, as one product for more; blocks of columns and rows lie within their matrix. */
    @Test
    void productsOfBlocksChangeNothingAroundThem() {
        for (int rows : new int[] {1, 8, 9, 40}) {
            Matrix a = Matrix.zeros(rows, 3);
            Matrix b = Matrix.zeros(4, 3);
            for (int i = 0; i < rows; i++) {
                a.write(i, new float[] {i, 1, -1});
            }
            for (int i = 0; i < 4; i++) {
                b.write(i, new float[] {1, i, 2 * i});
            }
            Matrix c = Matrix.zeros(rows, 5);
            MatrixProduct.timesTransposed(a, b.rows(1, 3), c.columns(2, 4)).run(); // row i: i - 1, i - 2
            for (int i = 0; i < rows; i++) {
                float[] row = new float[5];
                c.read(i, row);
                assertThat(row).containsExactly(new float[] {0, 0, i - 1, i - 2, 0}, within(1e-6f));
            }
        }
    }

    @Test
    void productsRunOnOneThread() {
        MatrixProduct.times(Matrix.zeros(2, 3), Matrix.zeros(3, 4), Matrix.zeros(2, 4), false);
        assertThat(openblas_nolapack.blas_get_num_threads()).isEqualTo(1);
    }
}
