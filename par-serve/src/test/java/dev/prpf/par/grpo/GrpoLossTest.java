package dev.prpf.par.grpo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.grpo.GrpoSettings.AdvantageSettings.Scale;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class GrpoLossTest {
    private static final Offset<Double> CLOSE = within(1e-6);
    private static final int MAX_LENGTH = 8;

    /** Two responses, of two and four tokens; values after the mask of the first are NaN. */
    private static final Probe TWO = new Probe(
            new double[][] {{-1, -0.5, Double.NaN, Double.NaN}, {-2, -0.1, -0.7, -0.3}},
            new double[][] {{-1.2, -0.5, 5, 5}, {-1.5, -0.2, -0.7, -0.9}},
            new double[][] {{-1.1, -0.6, Double.NaN, 99}, {-1.8, -0.1, -0.9, -0.5}},
            new double[][] {{1, 1, 0, 0}, {1, 1, 1, 1}},
            new double[][] {{1, 2, Double.NaN, 7}, {0.5, 0.5, 1, 1}},
            new double[] {1, -0.5});

    private static GrpoSettings settings(GrpoSettings.LossAggregation aggregation, double clipHigh, double kl) {
        return new GrpoSettings(
                new GrpoSettings.AdvantageSettings(Scale.SAMPLE_STD, 1e-4),
                GrpoSettings.ImportanceLevel.TOKEN,
                aggregation,
                0.2,
                clipHigh,
                kl,
                null,
                null);
    }

    /**
     * Per token -min(r A, clip(r) A): [-1.2, -1 | 0.4, 0.552585, 0.5, 0.911059]; k3 [0.004837, 0.004837 | 0.021403, 0, 0.018731, 0.018731]. For
     * instance r of the first token is e^0.2 = 1.2214, clipped to 1.2. For the fourth token of the second r is e^0.6 = 1.8221 with A = -0.5, where
     * min takes the unclipped -0.911059. SEQUENCE_MEAN: (-2.2/2 + 2.363644/4)/2 = -0.254544.
     */
    @ParameterizedTest
    @CsvSource({
        "SEQUENCE_MEAN, 0.2, 0, -0.254544",
        "SEQUENCE_MEAN, 0.2, 0.04, -0.254153",
        "SEQUENCE_MEAN, 0.28, 0, -0.259895",
        "TOKEN_MEAN, 0.2, 0, 0.027274",
        "TOKEN_MEAN, 0.2, 0.04, 0.027731",
        "TOKEN_MEAN, 0.28, 0, 0.023707",
        "FIXED_LENGTH, 0.2, 0, 0.010228",
        "FIXED_LENGTH, 0.2, 0.04, 0.010399",
        "FIXED_LENGTH, 0.28, 0, 0.008890",
    })
    void workedByHand(GrpoSettings.LossAggregation aggregation, double clipHigh, double kl, double expected) {
        GrpoSettings settings = settings(aggregation, clipHigh, kl);
        Probe.Result result = TWO.run(settings, TWO.divisor(settings, MAX_LENGTH));
        assertThat(result.loss()).isCloseTo(expected, CLOSE);
        assertThat(result.metrics().loss()).isEqualTo(result.loss());
        assertThat(result.gradient()[0][2]).as("behind the mask").isZero();
    }

    @Test
    void metricsWorkedByHand() {
        GrpoSettings settings = settings(GrpoSettings.LossAggregation.SEQUENCE_MEAN, 0.2, 0.04);
        GrpoMetrics metrics = TWO.run(settings, 2).metrics();
        assertThat(metrics.tokens()).isEqualTo(6);
        assertThat(metrics.byName())
                .hasEntrySatisfying(
                        "kl", kl -> assertThat(kl).isCloseTo((0.004837 * 2 + 0.021403 + 0.018731 * 2) / 6, CLOSE))
                .containsEntry("entropy", 1.0)
                .containsEntry("clip_ratio/low_mean", 1 / 6.0) // e^-0.5 with a negative advantage
                .containsEntry("clip_ratio/low_min", 0.0)
                .containsEntry("clip_ratio/high_mean", 1 / 6.0) // e^0.2 with a positive one
                .containsEntry("clip_ratio/high_max", 0.5)
                .containsEntry("clip_ratio/region_mean", 2 / 6.0);
    }

    @Test
    void withoutAReferenceOrEntropiesTheirMetricsAreAbsent() {
        Probe bare = new Probe(TWO.now(), TWO.old(), null, TWO.mask(), null, TWO.advantages());
        GrpoSettings settings = settings(GrpoSettings.LossAggregation.SEQUENCE_MEAN, 0.2, 0);
        assertThat(bare.run(settings, 2).metrics().byName()).doesNotContainKeys("kl", "entropy");
        assertThat(bare.run(settings, 2).loss()).isCloseTo(-0.254544, CLOSE);
        assertThatThrownBy(() -> bare.run(settings.withKlCoefficient(0.1), 2))
                .hasMessage("kl-coefficient = 0.1 needs the reference's log-probabilities");
    }

    /** Numbers of TRL's own method: benchmarks/grpo/trl_golden.py. */
    @Test
    void lossGradientAndMetricsEqualTrls() throws IOException {
        JsonNode golden;
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("trl_golden.json"))) {
            golden = new ObjectMapper().readTree(in);
        }
        assertThat(golden.get("cases")).hasSize(8);
        for (JsonNode expected : golden.get("cases")) {
            String name = expected.get("loss_type").asText() + " "
                    + expected.get("level").asText();
            double kl = expected.get("beta").doubleValue();
            Probe probe = new Probe(
                    rows(expected.get("now")),
                    rows(expected.get("old")),
                    kl > 0 ? rows(expected.get("ref")) : null,
                    rows(expected.get("mask")),
                    rows(expected.get("entropies")),
                    row(expected.get("advantages")));
            GrpoSettings settings = ofTrl(expected, kl);

            Probe.Result result = probe.run(settings, probe.divisor(settings, MAX_LENGTH));

            assertThat(result.loss()).as(name).isCloseTo(expected.get("loss").doubleValue(), within(1e-12));
            double[][] gradient = rows(expected.get("gradient"));
            for (int b = 0; b < gradient.length; b++) {
                assertThat(result.gradient()[b]).as(name).containsExactly(gradient[b], within(1e-12));
            }
            expected.get("metrics").properties().forEach(metric -> assertThat(
                            result.metrics().byName())
                    .as(name)
                    .hasEntrySatisfying(metric.getKey(), value -> assertThat(value)
                            .isCloseTo(metric.getValue().doubleValue(), CLOSE)));
            assertThat(expected.get("metrics")).hasSizeGreaterThanOrEqualTo(6);
        }
    }

    private static GrpoSettings ofTrl(JsonNode expected, double kl) {
        GrpoSettings.LossAggregation aggregation =
                switch (expected.get("loss_type").asText()) {
                    case "grpo" -> GrpoSettings.LossAggregation.SEQUENCE_MEAN;
                    case "dapo" -> GrpoSettings.LossAggregation.TOKEN_MEAN;
                    case "dr_grpo" -> GrpoSettings.LossAggregation.FIXED_LENGTH;
                    default ->
                        throw new IllegalArgumentException(
                                expected.get("loss_type").asText());
                };
        return new GrpoSettings(
                new GrpoSettings.AdvantageSettings(Scale.SAMPLE_STD, 1e-4),
                expected.get("level").asText().equals("sequence")
                        ? GrpoSettings.ImportanceLevel.SEQUENCE
                        : GrpoSettings.ImportanceLevel.TOKEN,
                aggregation,
                expected.get("low").doubleValue(),
                expected.get("high").doubleValue(),
                kl,
                null,
                null);
    }

    private static double[][] rows(JsonNode rows) {
        double[][] values = new double[rows.size()][];
        for (int i = 0; i < values.length; i++) {
            values[i] = row(rows.get(i));
        }
        return values;
    }

    private static double[] row(JsonNode row) {
        double[] values = new double[row.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = row.get(i).doubleValue();
        }
        return values;
    }

    /**
     * verl's dual clip, c = 3, A = -0.5: a ratio of e^2 = 7.389 would cost 3.694. It is limited to 1.5, without a gradient. Its bound: a log-ratio of
     * 50 counts as 20.
     */
    @Test
    void dualClipAndBoundWorkedByHand() {
        GrpoSettings verl = GrpoPreset.VERL_TOKEN_MEAN.settings();
        double[][] one = {{1}};
        Probe far = new Probe(new double[][] {{-1}}, new double[][] {{-3}}, null, one, null, new double[] {-0.5});
        assertThat(far.run(verl, 1).loss()).isCloseTo(1.5, CLOSE);
        assertThat(far.run(verl, 1).gradient()[0][0]).isZero();
        assertThat(far.run(GrpoPreset.TRL_DAPO.settings(), 1).loss()).isCloseTo(0.5 * Math.exp(2), CLOSE);

        GrpoSettings noDual = new GrpoSettings(
                verl.advantages(), verl.level(), verl.aggregation(), 0.2, 0.2, 0.5, null, verl.logBound());
        double[][] certain = {{-0.0}};
        double[][] unlikely = {{-50}};
        Probe bounded = new Probe(certain, unlikely, certain, one, null, new double[] {-1});
        assertThat(bounded.run(noDual, 1).loss()).isCloseTo(Math.exp(20), within(1e-3));
        Probe diverged = new Probe(unlikely, unlikely, certain, one, null, new double[] {1});
        assertThat(diverged.run(noDual, 1).loss()).as("k3 counts 10 at most").isCloseTo(-1 + 0.5 * 10, CLOSE);
    }

    /** GSPO: one ratio for the response, exp of the mean log-ratio: (0.2 + 0)/2, clipped to 1.0004. */
    @Test
    void gspoWorkedByHand() {
        GrpoSettings gspo = GrpoPreset.GSPO.settings();
        Probe first = new Probe(
                new double[][] {{-1, -0.5}},
                new double[][] {{-1.2, -0.5}},
                null,
                new double[][] {{1, 1}},
                null,
                new double[] {1});
        assertThat(first.run(gspo, 1).loss()).isCloseTo(-1.0004, CLOSE);
        assertThat(first.run(gspo, 1).metrics().byName())
                .containsEntry("clip_ratio/high_mean", 1.0)
                .hasEntrySatisfying("ratio_mean", ratio -> assertThat(ratio).isCloseTo(Math.exp(0.1), CLOSE));
        Probe down = new Probe(first.now(), first.old(), null, first.mask(), null, new double[] {-1});
        assertThat(down.run(gspo, 1).loss()).isCloseTo(Math.exp(0.1), CLOSE);
        assertThat(down.run(gspo, 1).gradient()[0])
                .containsExactly(new double[] {Math.exp(0.1) / 2, Math.exp(0.1) / 2}, CLOSE);
    }

    @ParameterizedTest
    @EnumSource(GrpoPreset.class)
    void gradientsEqualFiniteDifferences(GrpoPreset preset) {
        for (double kl : new double[] {preset.settings().klCoefficient(), 0.1}) {
            GrpoSettings settings = preset.settings().withKlCoefficient(kl);
            Probe probe = random(new Random(7), 3, 5);
            double divisor = probe.divisor(settings, MAX_LENGTH);
            double[][] gradient = probe.run(settings, divisor).gradient();
            double step = 1e-6;
            double largest = 0;
            for (int b = 0; b < 3; b++) {
                for (int t = 0; t < 5; t++) {
                    double slope =
                            (moved(probe, b, t, step).run(settings, divisor).loss()
                                            - moved(probe, b, t, -step)
                                                    .run(settings, divisor)
                                                    .loss())
                                    / (2 * step);
                    assertThat(gradient[b][t]).as("%s at %d, %d", preset, b, t).isCloseTo(slope, within(1e-7));
                    largest = Math.max(largest, Math.abs(slope));
                }
            }
            assertThat(largest).as("some token moves the loss").isGreaterThan(1e-3);
        }
    }

    private static Probe random(Random random, int responses, int width) {
        double[][] now = new double[responses][width];
        double[][] old = new double[responses][width];
        double[][] reference = new double[responses][width];
        double[][] mask = new double[responses][width];
        for (int b = 0; b < responses; b++) {
            for (int t = 0; t < width; t++) {
                old[b][t] = -3 * random.nextDouble();
                now[b][t] = old[b][t] + 0.4 * random.nextGaussian();
                reference[b][t] = now[b][t] + 0.3 * random.nextGaussian();
                mask[b][t] = t < width - b ? 1 : 0;
            }
        }
        return new Probe(now, old, reference, mask, null, new double[] {0.9, -1.1, -0.2});
    }

    private static Probe moved(Probe probe, int b, int t, double by) {
        double[][] now = new double[probe.now().length][];
        for (int i = 0; i < now.length; i++) {
            now[i] = probe.now()[i].clone();
        }
        now[b][t] += by;
        return new Probe(now, probe.old(), probe.reference(), probe.mask(), null, probe.advantages());
    }

    /** Three responses at once, or one after the other: the same loss, the same metrics. */
    @ParameterizedTest
    @EnumSource(GrpoPreset.class)
    void accumulatingDoesNotChangeTheLoss(GrpoPreset preset) {
        GrpoSettings settings = preset.settings().withKlCoefficient(0.05);
        Probe whole = random(new Random(8), 3, 6);
        double divisor = whole.divisor(settings, MAX_LENGTH);
        Probe.Result together = whole.run(settings, divisor);
        GrpoMetrics sum = null;
        for (int b = 0; b < 3; b++) {
            Probe one = new Probe(
                    new double[][] {whole.now()[b]},
                    new double[][] {whole.old()[b]},
                    new double[][] {Objects.requireNonNull(whole.reference())[b]},
                    new double[][] {whole.mask()[b]},
                    null,
                    new double[] {whole.advantages()[b]});
            Probe.Result part = one.run(settings, divisor);
            assertThat(part.gradient()[0]).containsExactly(together.gradient()[b], within(1e-12));
            sum = sum == null ? part.metrics() : sum.plus(part.metrics());
        }
        Objects.requireNonNull(sum).byName().forEach((name, value) -> assertThat(
                        together.metrics().byName())
                .hasEntrySatisfying(name, all -> assertThat(all).as(name).isCloseTo(value, within(1e-12))));
    }

    /** One update per rollout: the printed loss is -mean advantage (0 over a group) whatever is learned, the gradient is the policy gradient. */
    @Test
    void onPolicyTheLossSaysNothingAndTheGradientAll() {
        Probe probe = random(new Random(9), 2, 4);
        Probe onPolicy = new Probe(probe.now(), probe.now(), probe.now(), probe.mask(), null, new double[] {0.7, -0.7});
        Probe.Result result = onPolicy.run(GrpoPreset.PRPF.settings(), 2);
        assertThat(result.loss()).isCloseTo(0, within(1e-12));
        assertThat(result.metrics().byName()).containsEntry("kl", 0.0).containsEntry("ratio_mean", 1.0);
        assertThat(result.gradient()[0])
                .containsExactly(new double[] {-0.7 / 8, -0.7 / 8, -0.7 / 8, -0.7 / 8}, within(1e-12));
    }

    @Test
    void aResponseWithoutTokensCountsNothing() {
        Probe empty = new Probe(
                TWO.now(), TWO.old(), null, new double[][] {{0, 0, 0, 0}, {0, 0, 0, 0}}, null, TWO.advantages());
        for (GrpoPreset preset : GrpoPreset.values()) {
            GrpoSettings settings = preset.settings().withKlCoefficient(0);
            assertThat(empty.run(settings, empty.divisor(settings, MAX_LENGTH)).loss())
                    .isZero();
        }
    }
}
