package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The whole loss (PRPF eq. 12) against finite differences, in double precision. */
class GradientTest {
    private static final double EPSILON = 1e-5;
    private static final double TOLERANCE = 1e-7;
    private static final JointLoss LOSS = new JointLoss(2, 0.3, 0.5);

    @BeforeAll
    static void useDoubles() {
        Nd4jBackend.start();
        Nd4j.setDefaultDataTypes(DataType.DOUBLE, DataType.DOUBLE);
    }

    @AfterAll
    static void useFloats() {
        Nd4j.setDefaultDataTypes(DataType.FLOAT, DataType.FLOAT);
    }

    private static NetworkShape shape(boolean slow, boolean fast, double dropout) {
        return new NetworkShape(6, 8, 2, 2, 12, 3, 5, 5, 3, dropout, slow, fast);
    }

    @ParameterizedTest(name = "slow {0}, fast {1}, dropout {2}")
    @CsvSource({"true, true, 0", "true, false, 0", "false, true, 0", "true, true, 0.3"})
    void everyArraysGradientAgreesWithFiniteDifferences(boolean slow, boolean fast, double dropout) {
        NetworkShape shape = shape(slow, fast, dropout);
        try (MppNetwork network = new MppNetwork(shape, LOSS, 7, DataType.DOUBLE)) {
            FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(6, 6, 3, 7, 11), shape);
            for (int i = 0; i < 4; i++) { // past the measured runs, so that lanes take part where there are any
                network.backward(batch);
            }
            INDArray analytic = network.graph().getFlattenedGradients().dup();
            SplittableRandom random = new SplittableRandom(5);
            network.graph().paramTable().forEach((name, array) -> {
                for (int draw = 0; draw < 3; draw++) {
                    long at = array.offset() + random.nextLong(array.length());
                    assertThat(analytic.getDouble(at) / batch.rows())
                            .as("%s at %d", name, at)
                            .isCloseTo(numeric(network, batch, at), within(TOLERANCE));
                }
            });
            assertThat(analytic.norm2Number().doubleValue()).isGreaterThan(1e-3);
        }
    }

    @Test
    void sentencesPooledByAttentionAndSharedStepsAgreeToo() {
        NetworkShape shape = new NetworkShape(6, 8, 2, 1, 12, 3, 5, 5, 3, 0, true, true, 4, true);
        try (MppNetwork network = new MppNetwork(shape, LOSS, 7, DataType.DOUBLE)) {
            List<SampleFeatures> samples = MadeFeatures.withSentences(MadeFeatures.of(6, 6, 3, 7, 11), 3);
            FeatureBatch batch = FeatureBatch.of(samples, shape);
            for (int i = 0; i < 4; i++) {
                network.backward(batch);
            }
            INDArray analytic = network.graph().getFlattenedGradients().dup();
            INDArray query = Objects.requireNonNull(network.graph().paramTable().get("body_slow.context.query"));
            assertThat(query.shape()).containsExactly(3, 6);
            for (int i = 0; i < query.length(); i++) {
                long at = query.offset() + i;
                assertThat(analytic.getDouble(at) / batch.rows())
                        .as("query at %d", i)
                        .isCloseTo(numeric(network, batch, at), within(TOLERANCE))
                        .isNotZero();
            }
        }
    }

    private static double numeric(MppNetwork network, FeatureBatch batch, long at) {
        INDArray parameters = network.graph().params();
        double value = parameters.getDouble(at);
        parameters.putScalar(at, value + EPSILON);
        double above = network.backward(batch);
        parameters.putScalar(at, value - EPSILON);
        double below = network.backward(batch);
        parameters.putScalar(at, value);
        return (above - below) / (2 * EPSILON);
    }

    @Test
    void theGraphsScoreIsThePapersFormula() {
        NetworkShape shape = shape(true, true, 0);
        try (MppNetwork network = new MppNetwork(shape, LOSS, 7, DataType.DOUBLE)) {
            List<SampleFeatures> samples = MadeFeatures.of(9, 6, 3, 7, 12);
            FeatureBatch batch = FeatureBatch.of(samples, shape);
            Labels labels = Labels.of(samples);
            double formula = LOSS.of(network.logits(batch), labels.trigger(), labels.scenarios());
            assertThat(network.backward(batch)).isCloseTo(formula, within(1e-6));
        }
    }

    @Test
    void withoutTriggeringSamplesTheScenarioTermIsZero() {
        NetworkShape shape = shape(true, true, 0);
        List<SampleFeatures> silent = MadeFeatures.of(30, 6, 3, 7, 12).stream()
                .filter(sample -> Boolean.FALSE.equals(sample.intervention()))
                .toList();
        assertThat(silent).isNotEmpty();
        try (MppNetwork network = new MppNetwork(shape, LOSS, 7, DataType.DOUBLE)) {
            FeatureBatch batch = FeatureBatch.of(silent, shape);
            float[] logits = network.logits(batch).trigger();
            double focal = 0;
            for (float logit : logits) {
                focal += LOSS.focal(logit, 0) / logits.length;
            }
            assertThat(network.backward(batch)).isCloseTo(focal, within(1e-6));
        }
    }
}
