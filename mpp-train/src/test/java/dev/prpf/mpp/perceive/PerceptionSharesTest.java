package dev.prpf.mpp.perceive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.network.host.ParameterStore;
import dev.prpf.mpp.perceive.MppPerceiver.PerceptionShares;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PerceptionSharesTest {
    private static final ScenarioCatalog CATALOG = ScenarioCatalogReader.shipped();
    private static final NetworkShape SHAPE = MadeShape.small()
            .inputs(512, 0, false)
            .window(2, 3, 3)
            .transformer(32, 4, 1, 64)
            .scenarios(CATALOG.names().size())
            .shape();
    private static final EncodingCost ALL = new EncodingCost(600, 6, 1_400, 14);

    @TempDir
    private Path directory;

    private static SampleFeatures features(boolean... screenshots) {
        return new SampleFeatures("s", new float[3][512], new float[screenshots.length][512], screenshots, null, null);
    }

    private static double sum(List<PerceptionCost> costs, ToDoubleFunction<PerceptionCost> part) {
        return costs.stream().mapToDouble(part).sum();
    }

    @Test
    void encoderCostIsSharedByInput() {
        List<SampleFeatures> samples = List.of(features(true, true), features(false, true), features(false));
        List<PerceptionCost> costs = new PerceptionShares(SHAPE, false).of(samples, ALL, 3);
        assertThat(costs).extracting(cost -> cost.encoding().frameFlops()).containsExactly(400.0, 200.0, 0.0);
        assertThat(costs).extracting(cost -> cost.encoding().frameSeconds()).containsExactly(4.0, 2.0, 0.0);
        assertThat(costs.stream()
                        .mapToDouble(cost -> cost.encoding().textFlops())
                        .toArray())
                .as("texts: 3, 4 and 4 of 11")
                .containsExactly(new double[] {1_400 * 3 / 11.0, 1_400 * 4 / 11.0, 1_400 * 4 / 11.0}, within(1e-9));
        assertThat(costs).extracting(PerceptionCost::fusionSeconds).containsExactly(1.0, 1.0, 1.0);
        assertThat(sum(costs, cost -> cost.encoding().textSeconds())).isCloseTo(14, within(1e-9));
    }

    @Test
    void screenshotsThatAreReadCountAsTextsToo() {
        List<SampleFeatures> samples = List.of(features(true, true), features(false));
        List<PerceptionCost> costs = new PerceptionShares(SHAPE, true).of(samples, ALL, 0);
        assertThat(costs.get(0).encoding().textFlops()).as("5 of 9").isCloseTo(1_400 * 5 / 9.0, within(1e-9));
        assertThat(costs.get(1).encoding().frameFlops()).isZero();
    }

    @Test
    void fusionIsASamplesOwnAndSeesNoMoreThanItsWindow() {
        List<SampleFeatures> samples =
                List.of(features(false), features(false, false, false), features(new boolean[9]));
        List<PerceptionCost> costs = new PerceptionShares(SHAPE, true).of(samples, EncodingCost.NONE, 0);
        assertThat(costs)
                .extracting(PerceptionCost::fusionFlops)
                .containsExactly(
                        (double) NetworkSummary.of(SHAPE, 1).flops(),
                        (double) NetworkSummary.of(SHAPE, 3).flops(),
                        (double) NetworkSummary.of(SHAPE, 3).flops());
        assertThat(costs.get(0).fusionFlops()).isLessThan(costs.get(1).fusionFlops());
    }

    @Test
    void costsSumToTheEncodersTotal() {
        EncoderSettings settings =
                new EncoderSettings(EncoderPrecision.INT8, LongText.TRUNCATE, 1, directory.resolve("store"), null);
        List<Sample> samples = List.of(sample("a", "打开地图"), sample("b", "搜索机场"), sample("c", "打开地图"));
        try (SampleEncoder encoder = SampleEncoder.open(settings);
                MppPerceiver perceiver = perceiver(encoder)) {
            List<Perceiver.Costed> costed = perceiver.perceiveCosted(samples);
            List<Perception> plain = perceiver.perceive(samples);
            List<PerceptionCost> costs = costed.stream()
                    .map(one -> Objects.requireNonNull(one.cost()))
                    .toList();
            assertThat(costed).extracting(Perceiver.Costed::perception).containsExactlyElementsOf(plain);
            EncodingCost all = encoder.cost();
            assertThat(sum(costs, cost -> cost.encoding().textFlops()))
                    .isPositive()
                    .isCloseTo(all.textFlops(), Percentage.withPercentage(1e-6));
            assertThat(sum(costs, cost -> cost.encoding().textSeconds()))
                    .isCloseTo(all.textSeconds(), Percentage.withPercentage(1e-6));
            assertThat(costs).allSatisfy(cost -> {
                assertThat(cost.fusionFlops()).isPositive();
                assertThat(cost.fusionSeconds()).isPositive();
            });
            assertThat(perceiver.perceiveCosted(samples))
                    .as("all is in the store now")
                    .allSatisfy(
                            one -> assertThat(Objects.requireNonNull(one.cost()).encoding())
                                    .isEqualTo(EncodingCost.NONE));
        }
    }

    private static Sample sample(String id, String step) {
        DeviceContext context = new DeviceContext("上班族", "电量充足", "晴天" + id);
        return new Sample(id, 1, null, null, context, Trajectory.ofTexts(List.of(step)), null);
    }

    private static MppPerceiver perceiver(SampleEncoder encoder) {
        MppDescription description = new MppDescription(
                SHAPE, new JointLoss(2, 0.5, 0.5), CATALOG.names(), encoder.textEncoderId(), encoder.imageEncoderId());
        MppModel model = new MppModel(
                description, new HostEngine(ParameterStore.initial(SHAPE, 5)), new ProbabilityCalibration.None());
        return new MppPerceiver("mpp", List.of(model), sample -> 0, encoder, CATALOG);
    }
}
