package dev.prpf.mpp.network.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.MadeEngines;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The gradient of the whole loss (PRPF eq. 12) against finite differences, in double precision. */
class GraphGradientTest {
    private static final double EPSILON = 1e-5;
    private static final double TOLERANCE = 1e-7;
    private static final long STEP = 4;
    private static final JointLoss LOSS = new JointLoss(2, 0.3, 0.5);
    private static final MadeShape TINY = MadeShape.small()
            .inputs(6, 0, false)
            .window(3, 5, 5)
            .transformer(8, 2, 1, 12)
            .scenarios(3);

    private static double backward(GraphEngine engine, FeatureBatch batch) {
        JointLoss.Evaluation evaluated = LOSS.evaluate(engine.forward(batch, STEP), batch.samples());
        engine.backward(evaluated.gradient());
        return evaluated.loss();
    }

    private static double numeric(GraphEngine engine, FeatureBatch batch, INDArray array, long at) {
        double value = array.getDouble(at);
        double[] losses = new double[2];
        for (int side = 0; side < 2; side++) {
            array.putScalar(at, value + (side == 0 ? EPSILON : -EPSILON));
            losses[side] =
                    LOSS.evaluate(engine.forward(batch, STEP), batch.samples()).loss();
        }
        array.putScalar(at, value);
        return (losses[0] - losses[1]) / (2 * EPSILON);
    }

    @ParameterizedTest(name = "slow {0}, fast {1}, dropout {2}, batch {3}, layers {4}")
    @CsvSource({"true, true, 0, 1, 1", "true, false, 0, 6, 1", "false, true, 0, 6, 1", "true, true, 0.3, 6, 2"})
    void everyArraysGradientAgreesWithFiniteDifferences(
            boolean slow, boolean fast, double dropout, int rows, int layers) {
        NetworkShape shape = TINY.transformer(8, 2, layers, 12)
                .channels(slow, fast)
                .dropout(dropout)
                .shape();
        try (GraphEngine engine = MadeEngines.graph(shape, DataType.DOUBLE)) {
            FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(rows, 6, 3, 7, 11), shape);
            backward(engine, batch);
            Map<String, float[]> analytic = MadeEngines.gradients(engine);
            SplittableRandom random = new SplittableRandom(5);
            engine.arrays().forEach((name, array) -> {
                for (int draw = 0; draw < 2; draw++) {
                    int at = random.nextInt(Math.toIntExact(array.length()));
                    double gradient = Objects.requireNonNull(analytic.get(name))[at];
                    assertThat(gradient)
                            .as("%s at %d", name, at)
                            .isCloseTo(numeric(engine, batch, array, at), within(TOLERANCE));
                }
            });
            float largest = 0;
            for (float gradient : Objects.requireNonNull(analytic.get("trigger.hidden.weight"))) {
                largest = Math.max(largest, Math.abs(gradient));
            }
            assertThat(largest).isGreaterThan(1e-3f);
        }
    }

    @Test
    void sentencesPooledByAttentionAndSharedStepsAgreeToo() {
        NetworkShape shape = TINY.inputs(6, 4, true).shape();
        try (GraphEngine engine = MadeEngines.graph(shape, DataType.DOUBLE)) {
            List<SampleFeatures> samples = MadeFeatures.withSentences(MadeFeatures.of(6, 6, 3, 7, 11), 3);
            FeatureBatch batch = FeatureBatch.of(samples, shape);
            backward(engine, batch);
            float[] analytic =
                    Objects.requireNonNull(MadeEngines.gradients(engine).get("slow.context.query"));
            INDArray query = Objects.requireNonNull(engine.arrays().get("slow.context.query"));
            assertThat(query.shape()).containsExactly(3, 6);
            for (int at = 0; at < analytic.length; at++) {
                assertThat((double) analytic[at])
                        .as("query at %d", at)
                        .isCloseTo(numeric(engine, batch, query, at), within(TOLERANCE))
                        .isNotZero();
            }
        }
    }

    @Test
    void withoutTriggeringSamplesTheScenarioHeadHasNoGradient() {
        NetworkShape shape = TINY.shape();
        List<SampleFeatures> silent = MadeFeatures.of(30, 6, 3, 7, 12).stream()
                .filter(sample -> Boolean.FALSE.equals(sample.intervention()))
                .toList();
        assertThat(silent).isNotEmpty();
        try (GraphEngine engine = MadeEngines.graph(shape, DataType.DOUBLE)) {
            FeatureBatch batch = FeatureBatch.of(silent, shape);
            double focal = 0;
            for (double[] logits : engine.infer(batch)) {
                focal += LOSS.focal(logits[0], 0) / silent.size();
            }
            assertThat(backward(engine, batch)).isCloseTo(focal, within(1e-9));
            assertThat(MadeEngines.gradients(engine).get("scenario.logits.weight"))
                    .containsOnly(0f);
            assertThat(MadeEngines.gradients(engine).get("trigger.logits.bias")).doesNotContain(0f);
        }
    }
}
