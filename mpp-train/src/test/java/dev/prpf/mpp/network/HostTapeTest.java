package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class HostTapeTest {
    @BeforeAll
    static void start() {
        Nd4jBackend.start();
    }

    private static HostTape tape() {
        return new HostTape(
                2,
                Map.of("p", Nd4j.ones(1, 3), "q", Nd4j.ones(1, 3)),
                Map.of("p", Nd4j.ones(1, 3), "q", Nd4j.ones(1, 3)));
    }

    @Test
    void theFirstContributionOverwritesAndTheOthersAddInOrder() {
        HostValue value = tape().value("x", 2, 3);
        assertThatThrownBy(value::gradient).hasMessage("no gradient of x#1 has been made");
        HostValue.Contribution first = value.contribute();
        HostValue.Contribution second = value.contribute();
        assertThat(first.adds()).isFalse();
        assertThat(second.adds()).isTrue();
        assertThat(second.before()).isEqualTo(first.after());
        assertThat(second.target()).isSameAs(first.target()).isSameAs(value.gradient());
        assertThat(value.gradientName()).isEqualTo(second.after());
    }

    @Test
    void backwardStepsComeInReverseAndNameWhatTheyAddTo() {
        HostTape tape = tape();
        for (String name : List.of("p", "q")) {
            tape.later(() -> {
                HostValue parameter = tape.parameter(name);
                tape.backward(() -> {}, List.of("slope"), parameter.contribute());
                tape.backward(() -> {}, List.of("slope"), parameter.contribute());
            });
        }
        List<PlanStep> steps = tape.backwardSchedule().steps();
        assertThat(steps.stream().map(PlanStep::outputs))
                .containsExactly(
                        List.of("q.gradient1"), List.of("q.gradient2"), List.of("p.gradient1"), List.of("p.gradient2"));
        assertThat(steps.get(1).inputs()).containsExactly("slope", "q.gradient1");
    }

    @Test
    void aParameterThatNoStepGivesAGradientIsABug() {
        HostTape tape = tape();
        tape.later(() -> tape.backward(() -> {}, List.of(), tape.parameter("p").contribute()));
        assertThatThrownBy(tape::backwardSchedule).hasMessage("no step makes the gradient of parameter q");
    }

    @Test
    void nobodyContributesToAnInput() {
        HostValue input = HostTape.input("frames", HostMatrix.zeros(2, 3));
        assertThat(input.wantsGradient()).isFalse();
        assertThatThrownBy(input::contribute).hasMessage("nobody wants the gradient of frames");
    }

    @Test
    void rowsAreSummedAndSoftenedAsWritten() {
        float[] values = new float[21];
        for (int i = 0; i < values.length; i++) {
            values[i] = i + 1;
        }
        assertThat(HostRows.sum(values)).isEqualTo(231);
        assertThat(HostRows.sum(values, 2, 4)).isEqualTo(7);
        float[] weights = {9, 0, (float) Math.log(3), -1e9f};
        HostRows.softmax(weights, 1, 4);
        assertThat(weights).containsExactly(new float[] {9, 0.25f, 0.75f, 0}, within(1e-6f));
        float[] slopes = {9, 1, 3, 5};
        HostRows.softmaxSlopes(weights, slopes, 1, 4);
        assertThat(slopes).containsExactly(new float[] {9, -0.375f, 0.375f, 0}, within(1e-6f));
    }

    @Test
    void reluCutsTheSlopeOfExactlyTheZeros() {
        Map<String, INDArray> arrays = Map.of(
                "l.weight", Nd4j.create(new float[] {1, 1, 1}, new long[] {3, 1}, 'c'),
                "l.bias", Nd4j.create(new float[] {-1, Float.MIN_VALUE, 1e30f}));
        Map<String, INDArray> gradients = Map.of("l.weight", Nd4j.zeros(3, 1), "l.bias", Nd4j.zeros(3));
        HostTape tape = new HostTape(1, arrays, gradients);
        HostValue y = HostLinear.relu(tape, HostTape.input("x", HostMatrix.zeros(1, 1)), "l");
        HostMatrix slope = y.contribute().target();
        tape.forwardSchedule().run();
        LaneSchedule backward = tape.backwardSchedule();
        slope.write(0, new float[] {2, 3, 4});
        backward.run();
        assertThat(y.matrix().array().toFloatVector()).containsExactly(0, Float.MIN_VALUE, 1e30f);
        assertThat(Objects.requireNonNull(gradients.get("l.bias")).toFloatVector())
                .containsExactly(0, 3, 4);
    }
}
