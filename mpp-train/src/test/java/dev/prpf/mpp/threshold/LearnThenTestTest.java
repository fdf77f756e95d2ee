package dev.prpf.mpp.threshold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.mpp.threshold.TriggerThreshold.Risk;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class LearnThenTestTest {
    private static final double[] GRID = GateCurve.grid();
    private static final int DATASETS = 250;
    private static final double BOUND = 10;
    private static final double CONFIDENCE = 90;

    /**
     * A data set of exchangeable samples. Its distribution is drawn first, then independent samples from it (de Finetti), so the true risk at
     * every τ is known.
     *
     * @param pTrigger of calibration samples
     * @param acts their labels
     * @param trueRisk maps τ to the risk of a new sample of this distribution, percent
     */
    private record Dataset(double[] pTrigger, boolean[] acts, DoubleUnaryOperator trueRisk) {}

    /** p_trigger of silent samples is U^a, of acting ones 1 - U^b; a and b are the data set's own. */
    private static Dataset dataset(Risk risk, int samples, SplittableRandom random) {
        double a = 1 + 4 * random.nextDouble();
        double b = 1 + 4 * random.nextDouble();
        double[] pTrigger = new double[samples];
        boolean[] acts = new boolean[samples];
        for (int i = 0; i < samples; i++) {
            acts[i] = random.nextInt(3) > 0;
            pTrigger[i] = acts[i] ? 1 - Math.pow(random.nextDouble(), b) : Math.pow(random.nextDouble(), a);
        }
        DoubleUnaryOperator ftr = tau -> 100 * (1 - Math.pow(tau, 1 / a));
        DoubleUnaryOperator miss = tau -> 100 * (1 - Math.pow(1 - tau, 1 / b));
        return new Dataset(pTrigger, acts, risk == Risk.FTR ? ftr : miss);
    }

    /** The most permissive of the bounded τ: the one nearest to breaking its bound. */
    private static double greediest(Risk risk, List<LearnThenTest.Tested> bounded) {
        Comparator<LearnThenTest.Tested> byTau = Comparator.comparingDouble(LearnThenTest.Tested::tau);
        return (risk == Risk.FTR
                        ? bounded.stream().min(byTau)
                        : bounded.stream().max(byTau))
                .orElseThrow()
                .tau();
    }

    @Test
    void boundHoldsWithItsConfidenceOnManyDataSets() {
        for (Risk risk : Risk.values()) {
            SplittableRandom random = new SplittableRandom(20_251_122);
            LearnThenTest test = new LearnThenTest(risk, BOUND, CONFIDENCE);
            int chosen = 0;
            int broken = 0;
            for (int d = 0; d < DATASETS; d++) {
                Dataset data = dataset(risk, 1_500, random);
                double tau;
                try {
                    tau = greediest(risk, test.bounded(GRID, data.pTrigger(), data.acts()));
                } catch (PrpfException nothingBounded) {
                    continue; // no bound was given
                }
                chosen++;
                broken += data.trueRisk().applyAsDouble(tau) > BOUND ? 1 : 0;
            }
            assertThat(chosen).as("%s: data sets with a threshold", risk).isGreaterThan(125);
            assertThat(broken).as("%s: bounds broken", risk).isLessThanOrEqualTo((int)
                    (DATASETS * (100 - CONFIDENCE) / 100));
        }
    }

    /**
     * Errors are nested, so the most permissive τ breaks its bound exactly if the largest τ of too high risk passes its test. The probability
     * is at most (1 - confidence) / 91, one in 910. Without the division by the grid's size it would be about 70 in 1,000.
     */
    @Test
    void theErrorIsDividedByTheGridsSize() {
        SplittableRandom random = new SplittableRandom(7);
        LearnThenTest test = new LearnThenTest(Risk.FTR, BOUND, CONFIDENCE);
        int datasets = 1_000;
        double power = 6; // the risk is 10.03 percent at τ = 0.53
        int chosen = 0;
        int broken = 0;
        for (int d = 0; d < datasets; d++) {
            double[] silent = random.doubles(300).map(u -> Math.pow(u, power)).toArray();
            double tau = greediest(Risk.FTR, test.bounded(GRID, silent, new boolean[silent.length]));
            chosen++;
            broken += 100 * (1 - Math.pow(tau, 1 / power)) > BOUND ? 1 : 0;
        }
        assertThat(chosen).isEqualTo(datasets);
        assertThat(broken).as("bounds broken, 1.1 expected at most").isLessThanOrEqualTo(6);
    }

    private static double[] constant(int n, double value) {
        double[] values = new double[n];
        Arrays.fill(values, value);
        return values;
    }

    @Test
    void tooFewSamplesAreRefusedWithTheNumberThatWouldDo() {
        LearnThenTest test = new LearnThenTest(Risk.FTR, 5, 90);
        int least = test.leastSamples(GRID.length);
        assertThat(least).as("(1 - 0.05)^n <= 0.1 / 91").isEqualTo(133);
        assertThat(test.bounded(GRID, constant(least, 0), new boolean[least])).hasSize(GRID.length);
        assertThatThrownBy(() -> test.bounded(GRID, constant(least - 1, 0), new boolean[least - 1]))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("holds 132 silent samples")
                .hasMessageContaining("at least 133")
                .hasMessageContaining("calibration.share");
    }

    @Test
    void withoutABoundTheNearestThresholdIsReported() {
        double[] pTrigger = constant(400, 0.1);
        for (int i = 0; i < 12; i++) {
            pTrigger[i] = 0.99; // 3 percent that no threshold stops
        }
        assertThatThrownBy(() -> new LearnThenTest(Risk.FTR, 5, 90).bounded(GRID, pTrigger, new boolean[400]))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.GATE_FAILED))
                .hasMessageContaining("12 errors in 400 silent samples")
                .hasMessageMatching(".*about \\d{3,4} samples would be enough.*");
        assertThatThrownBy(() -> new LearnThenTest(Risk.FTR, 2, 90).bounded(GRID, pTrigger, new boolean[400]))
                .hasMessageContaining("above the bound");
    }

    @Test
    void eachRiskIsOverItsOwnClass() {
        boolean[] acts = new boolean[600];
        Arrays.fill(acts, 0, 300, true);
        double[] pTrigger = constant(600, 0.02);
        Arrays.fill(pTrigger, 0, 300, 0.97);
        assertThat(new LearnThenTest(Risk.FTR, 5, 90).bounded(GRID, pTrigger, acts))
                .hasSize(GRID.length)
                .allSatisfy(tested -> {
                    assertThat(tested.samples()).isEqualTo(300);
                    assertThat(tested.errors()).isZero();
                });
        assertThat(Risk.MISS.errs(0.5, 0.5)).as("the boundary itself triggers").isFalse();
        assertThat(Risk.FTR.errs(0.5, 0.5)).isTrue();
    }

    @Test
    void aBoundOrConfidenceOutOfRangeIsRefused() {
        assertThatThrownBy(() -> new LearnThenTest(Risk.FTR, 0, 90)).hasMessageContaining("bound = 0.0");
        assertThatThrownBy(() -> new LearnThenTest(Risk.FTR, 5, 100)).hasMessageContaining("confidence = 100.0");
    }
}
