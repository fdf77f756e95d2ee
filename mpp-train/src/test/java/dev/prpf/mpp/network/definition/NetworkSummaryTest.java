package dev.prpf.mpp.network.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.NetworkSummary.Parameter;
import dev.prpf.mpp.network.definition.NetworkSummary.Parameter.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class NetworkSummaryTest {
    private static final NetworkShape PAPER = MadeShape.small()
            .inputs(512, 0, false)
            .transformer(256, 4, 2, 1024)
            .scenarios(14)
            .shape();

    private static final long D = 256;
    private static final long LAYER = 4 * 2 * (4 * D * D + 2 * 1024 * D) + 4 * 16 * D; // four tokens
    private static final long CROSS = 4 * 2 * 4 * D * D + 4 * 16 * D;
    private static final long READOUT = 4 * 4 * D;
    private static final long HEADS = 2 * 2 * (2 * D * D) + 2 * D * 15;

    @Test
    void theParametersOfThePapersNetwork() {
        List<Parameter> parameters = NetworkSummary.of(PAPER, 10).parameters();
        long norms = 2 * 2 * 2 * 2 * D; // a gain and a bias for two norms a layer, two layers, two channels
        assertThat(parameters.stream().mapToLong(Parameter::length).sum()).isEqualTo(4_410_895 + norms);
        assertThat(parameters.stream().map(Parameter::name))
                .doesNotHaveDuplicates()
                .contains("frames.weight", "slow.1.feed-forward.norm.gain", "cross.fast.keyvalue.bias");
        assertThat(parameters).anySatisfy(parameter -> {
            assertThat(parameter.name()).isEqualTo("trigger.hidden.weight");
            assertThat(parameter.shape()).as("z has 2d entries").containsExactly(256, 512);
        });
        assertThat(parameters.stream()
                        .filter(parameter -> parameter.kind() == Kind.WEIGHT)
                        .map(Parameter::name))
                .allMatch(name -> name.endsWith(".weight"));
    }

    @Test
    void channelThatIsOffHasNoParameters() {
        List<Parameter> slow = NetworkSummary.of(
                        MadeShape.small().channels(true, false).shape(), 10)
                .parameters();
        assertThat(slow.stream().map(Parameter::name)).noneMatch(name -> name.contains("fast"));
        List<Parameter> both = NetworkSummary.of(MadeShape.small().shape(), 10).parameters();
        for (Parameter parameter : slow) {
            if (parameter.name().startsWith("slow.")) {
                Parameter same = both.stream()
                        .filter(other -> other.name().equals(parameter.name()))
                        .findFirst()
                        .orElseThrow();
                assertThat(same.initial(5)).containsExactly(parameter.initial(5), within(0f));
            }
        }
    }

    @Test
    void gainsBeginAtOneBiasesAtZeroAndWeightsWithinXaviersRange() {
        assertThat(new Parameter("g", new long[] {3}, Kind.GAIN).initial(1)).containsOnly(1);
        assertThat(new Parameter("b", new long[] {3}, Kind.BIAS).initial(1)).containsOnly(0);
        float[] weights = new Parameter("w", new long[] {20, 30}, Kind.WEIGHT).initial(1);
        float limit = (float) Math.sqrt(6.0 / 50);
        for (float weight : weights) {
            assertThat(weight).isBetween(-limit, limit);
        }
        assertThat(weights)
                .isNotEqualTo(new Parameter("w", new long[] {20, 30}, Kind.WEIGHT).initial(2))
                .isNotEqualTo(new Parameter("v", new long[] {20, 30}, Kind.WEIGHT).initial(1));
    }

    @Test
    void theOperationsOfThePapersNetwork() {
        long afterProjection = 4 * LAYER + 2 * CROSS + 2 * READOUT + HEADS;
        long slow = 3 * 2 * 512 * D + 2 * (2 * 10 * 1024) + 2 * 1024 * D;
        long fast = 4 * (2 * 1024 * D + 2 * D * D);
        assertThat(NetworkSummary.of(PAPER, 10).flops()).isEqualTo(slow + fast + afterProjection);
        assertThat(NetworkSummary.flopsOfStep(PAPER)).isEqualTo(2 * 1024 * D + 2 * D * D);
        long pooled = 2 * (2 * 10 * 1024) + 2 * 1024 * D;
        assertThat(NetworkSummary.flopsOfAnswer(PAPER, 10_000))
                .isEqualTo(pooled + afterProjection)
                .isEqualTo(NetworkSummary.flopsOfAnswer(PAPER, 10))
                .isGreaterThan(NetworkSummary.flopsOfAnswer(PAPER, 2));
    }

    @Test
    void oneChannelAndSentencesAreCountedToo() {
        NetworkShape both = MadeShape.small().shape();
        NetworkShape slow = MadeShape.small().channels(true, false).shape();
        NetworkShape fast = MadeShape.small().channels(false, true).shape();
        assertThat(NetworkSummary.flopsOfStep(slow)).isZero();
        assertThat(NetworkSummary.flopsOfStep(fast)).isEqualTo(NetworkSummary.flopsOfStep(both));
        assertThat(NetworkSummary.of(slow, 10).flops()
                        + NetworkSummary.of(fast, 10).flops())
                .isLessThan(NetworkSummary.of(both, 10).flops());
        NetworkShape pooled = MadeShape.small().inputs(16, 7, false).shape();
        assertThat(NetworkSummary.of(pooled, 10).flops()
                        - NetworkSummary.of(both, 10).flops())
                .isEqualTo(2L * (2 * 21 * 16 * 3));
    }
}
