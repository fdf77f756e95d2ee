package dev.prpf.mpp.calibration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.mpp.calibration.ProbabilityCalibration.FittedCalibration;
import dev.prpf.mpp.network.definition.JointLoss;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Samples with logits three times too large: the true probability is σ(logit / 3). */
class CalibrationTest {
    private static final int N = 20_000;
    private static final double[] LOGITS = new double[N];
    private static final boolean[] ACTS = new boolean[N];

    static {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < N; i++) {
            LOGITS[i] = 12 * random.nextDouble() - 6;
            ACTS[i] = random.nextDouble() < JointLoss.sigmoid(LOGITS[i] / 3);
        }
    }

    private static ReliabilityDiagram reliability(ProbabilityCalibration calibration) {
        double[] pTrigger = new double[N];
        for (int i = 0; i < N; i++) {
            pTrigger[i] = calibration.probability(LOGITS[i]);
        }
        return ReliabilityDiagram.of(pTrigger, ACTS);
    }

    @Test
    void temperatureIsFoundAndImprovesReliability() {
        ProbabilityCalibration fitted = CalibrationMethod.TEMPERATURE.fit(LOGITS, ACTS);
        assertThat(((ProbabilityCalibration.Temperature) fitted).temperature()).isCloseTo(3, within(0.15));
        assertThat(reliability(new ProbabilityCalibration.None()).ece()).isGreaterThan(10);
        assertThat(reliability(fitted).ece()).isLessThan(1.5);
    }

    @Test
    void theTemperatureIsALocalMinimumOfTheLikelihood() {
        double best =
                ((ProbabilityCalibration.Temperature) CalibrationMethod.TEMPERATURE.fit(LOGITS, ACTS)).temperature();
        double least = CalibrationMethod.negativeLogLikelihood(LOGITS, ACTS, best);
        assertThat(CalibrationMethod.negativeLogLikelihood(LOGITS, ACTS, best * 1.01))
                .isGreaterThan(least);
        assertThat(CalibrationMethod.negativeLogLikelihood(LOGITS, ACTS, best / 1.01))
                .isGreaterThan(least);
    }

    @Test
    void adjacentViolatorsArePooled() {
        ProbabilityCalibration.Isotonic fitted = (ProbabilityCalibration.Isotonic)
                CalibrationMethod.ISOTONIC.fit(new double[] {3, 1, 2, 0}, new boolean[] {true, true, false, false});
        assertThat(fitted.logits()).containsExactly(0.0, 1.5, 3.0);
        assertThat(fitted.probabilities()).containsExactly(0.0, 0.5, 1.0);
        assertThat(fitted.probability(0.75)).as("between knots").isEqualTo(0.25);
        assertThat(fitted.probability(-9)).isZero();
        assertThat(fitted.probability(9)).isEqualTo(1);
        assertThat(reliability(CalibrationMethod.ISOTONIC.fit(LOGITS, ACTS)).ece())
                .isLessThan(1.5);
    }

    @Test
    void equalLogitsHaveEqualProbabilitiesInAnyOrder() {
        double[] logits = {1, 2, 2};
        ProbabilityCalibration first = CalibrationMethod.ISOTONIC.fit(logits, new boolean[] {true, true, false});
        ProbabilityCalibration second = CalibrationMethod.ISOTONIC.fit(logits, new boolean[] {true, false, true});
        assertThat(second).isEqualTo(first);
        assertThat(first.probability(2)).as("two of the three act").isEqualTo(2 / 3.0);
    }

    @ParameterizedTest
    @EnumSource
    void noCalibrationTurnsTwoSamplesAroundAndEachIsReadAsWritten(CalibrationMethod method) {
        ProbabilityCalibration fitted = method.fit(LOGITS, ACTS);
        double before = 0;
        for (double logit = -30; logit <= 30; logit += 0.01) {
            double now = fitted.probability(logit);
            assertThat(now).isBetween(before, 1.0);
            before = now;
        }
        FittedCalibration kept = new FittedCalibration(fitted, "0a".repeat(32));
        assertThat(read(kept.json())).isEqualTo(kept);
    }

    private static FittedCalibration read(String json) {
        try {
            return FittedCalibration.of("calibration.json", (ObjectNode) new ObjectMapper().readTree(json));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aDamagedCalibrationIsBadDataThatSaysWhy() {
        Map<String, String> messages = Map.of(
                "{\"method\":\"temperature\",\"temperature\":-1,\"model_sha256\":\"7\"}",
                "temperature = -1.0",
                "{\"method\":\"magic\",\"model_sha256\":\"7\"}",
                "magic",
                "{\"method\":\"none\"}",
                "model_sha256 = null, must have a value",
                "{\"method\":\"none\",\"model_sha256\":7}",
                "model_sha256",
                "{\"method\":\"none\",\"model_sha256\":\"7\"}",
                "model_sha256 = 7 must be a SHA-256",
                "{\"method\":\"isotonic\",\"logits\":[1.0,0.0],\"probabilities\":[0.1,0.2],\"model_sha256\":\"7\"}",
                "knots must ascend");
        messages.forEach((text, message) -> assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("calibration.json: is no calibration")
                .hasMessageContaining(message));
    }

    @Test
    void theCalibrationErrorIsTheMeanGapOfTheBins() {
        ReliabilityDiagram diagram =
                ReliabilityDiagram.of(new double[] {0.05, 0.05, 0.95, 1.0}, new boolean[] {true, false, true, true});
        assertThat(diagram.bins()).hasSize(2);
        assertThat(diagram.bins().get(0).acting()).isEqualTo(50);
        assertThat(diagram.bins().get(1).probability()).isCloseTo(97.5, within(1e-9));
        assertThat(diagram.ece()).isCloseTo((2 * 45 + 2 * 2.5) / 4, within(1e-9));
        assertThat(diagram.drawing("here").caption()).contains("n = 4", "ECE = 23.75");
    }
}
