package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The body for the host against the portable one, which finite differences hold ({@link GradientTest}). */
class HostPlanTest {
    private static final Offset<Float> OUTPUT = within(1e-5f);
    private static final int STEPS = 7;
    private static final int PAST_THE_MEASURED_RUNS = 12;

    @BeforeAll
    static void start() {
        Nd4jBackend.start();
    }

    @ParameterizedTest(name = "slow {0}, fast {1}, dropout {2}, sentences {3}, recent steps {4}")
    @CsvSource({
        "true, true, 0, 0, 4",
        "true, false, 0, 0, 4",
        "false, true, 0, 0, 4",
        "true, true, 0.2, 0, 4",
        "false, true, 0.2, 0, 3",
        "true, true, 0.2, 3, 1",
        "true, false, 0, 4, 2"
    })
    void valuesAndGradientsAreThoseOfThePortableBody(
            boolean slow, boolean fast, double dropout, int sentences, int recent) {
        NetworkShape shape =
                new NetworkShape(20, 24, 3, 2, 40, recent, STEPS, STEPS, 5, dropout, slow, fast, sentences, false);
        List<SampleFeatures> samples = MadeFeatures.of(5, 20, 5, STEPS, 6);
        if (sentences > 0) {
            samples = MadeFeatures.withSentences(samples, 2);
        }
        FeatureBatch batch = FeatureBatch.of(samples, shape, 6, STEPS); // one row is empty
        Map<String, INDArray> parameters = MadeSide.parameters(shape);
        MadeSide host = MadeSide.host(shape, 6, STEPS, parameters);
        MadeSide portable = MadeSide.portable(shape, 6, STEPS, parameters);
        assertThat(host.plan().dropoutSites()).isEqualTo(portable.plan().dropoutSites());
        for (MadeSide side : List.of(host, portable)) {
            side.fill(batch, shape);
            side.run();
        }
        assertThat(host.fused()).containsExactly(portable.fused(), OUTPUT);
        parameters.keySet().forEach(name -> {
            float[] expected = portable.gradient(name);
            float largest = 0;
            for (float value : expected) {
                largest = Math.max(largest, Math.abs(value));
            }
            if (recent > 1) { // with one answer to attend to, all asking rows become equal and readout queries do not
                // matter
                assertThat(largest).as(name).isPositive();
            }
            assertThat(host.gradient(name)).as(name).containsExactly(expected, within(1e-4f * Math.max(1, largest)));
        });
    }

    /** The first runs are measured on one lane, later ones run on two where there are cores: no bit depends on it. */
    @Test
    void everyRunGivesTheSameBits() {
        NetworkShape shape = new NetworkShape(64, 128, 4, 2, 256, 4, STEPS, STEPS, 5, 0, true, true);
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(16, 64, 5, STEPS, 6), shape, 16, STEPS);
        MadeSide host = MadeSide.host(shape, 16, STEPS, MadeSide.parameters(shape));
        host.fill(batch, shape);
        Map<String, float[]> first = new LinkedHashMap<>();
        for (int run = 0; run < 2 * PAST_THE_MEASURED_RUNS; run++) {
            host.run();
            for (String name : host.gradients().keySet()) {
                float[] gradient = host.gradient(name);
                float[] before = first.putIfAbsent(name, gradient);
                assertThat(gradient).as("%s, run %d", name, run).isEqualTo(before == null ? gradient : before);
            }
        }
    }

    @Test
    void inferenceDropsNothingAndHasNoBackwardSteps() {
        NetworkShape dropping = new NetworkShape(20, 24, 3, 1, 40, 4, STEPS, STEPS, 5, 0.5, true, true);
        NetworkShape keeping = new NetworkShape(20, 24, 3, 1, 40, 4, STEPS, STEPS, 5, 0, true, true);
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(3, 20, 5, STEPS, 6), keeping, 3, STEPS);
        Map<String, INDArray> parameters = MadeSide.parameters(keeping);
        HostPlan plan = new HostPlan(dropping, 3, STEPS, parameters, Map.of());
        HostPlan without = new HostPlan(keeping, 3, STEPS, parameters, Map.of());
        for (HostPlan each : List.of(plan, without)) {
            new MadeSide(each, Map.of()).fillInputs(batch);
            each.runForward();
        }
        assertThat(plan.fused()).isEqualTo(without.fused());
        assertThat(plan.schedules().get(1).steps()).isEmpty();
        assertThat(plan.hasPlaceholder(BodyGraph.COTANGENT)).isFalse();
        assertThatThrownBy(() -> plan.placeholder(BodyGraph.COTANGENT))
                .hasMessage("the plan has no placeholder cotangent");
    }

    @Test
    void floatsOnTheHostTakeItAndDoublesThePortableOne() {
        NetworkShape shape = new NetworkShape(20, 24, 3, 1, 40, 4, STEPS, STEPS, 5, 0, true, true);
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(3, 20, 5, STEPS, 6), shape);
        assertThat(planOf(shape, batch, DataType.FLOAT)).isInstanceOf(HostPlan.class);
        assertThat(planOf(shape, batch, DataType.DOUBLE)).isInstanceOf(PortablePlan.class);
    }

    private static BodyPlan planOf(NetworkShape shape, FeatureBatch batch, DataType type) {
        try (MppNetwork network = new MppNetwork(shape, new JointLoss(2, 0.5, 0.5), 1, type)) {
            network.logits(batch);
            return Objects.requireNonNull(((BodyRuntime) network.graph().getVertex("body")).current());
        }
    }

    @Test
    void matricesThatDoNotFitAreRefusedBeforeBlasReadsBeyondThem() {
        HostMatrix a = HostMatrix.zeros(2, 3);
        HostMatrix b = HostMatrix.zeros(4, 5);
        HostMatrix c = HostMatrix.zeros(2, 5);
        String message = "factors of 2 x 3 and 4 x 5 do not make a product of 2 x 5";
        assertThatThrownBy(() -> HostProduct.times(a, b, c, false)).hasMessage(message);
        assertThatThrownBy(() -> HostProduct.timesTransposed(a, b, c)).hasMessage(message);
        assertThatThrownBy(() -> HostProduct.transposedTimes(a, b, c, true)).hasMessage(message);
        assertThatThrownBy(() -> HostMatrix.of(Nd4j.create(DataType.FLOAT, new long[] {3, 4}, 'f')))
                .hasMessageContaining("must be floats in row-major order");
        assertThatThrownBy(() -> HostMatrix.of(Nd4j.create(DataType.DOUBLE, new long[] {3, 4}, 'c')))
                .hasMessageContaining("must be floats in row-major order");
    }
}
