package dev.prpf.par.vision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.export.Refused;
import dev.prpf.par.vision.VisionConfig.VisionFlops;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import dev.prpf.par.vision.VisionTower.VisionMemory;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VisionFlopsTest {
    private static final VisionTokens TOKENS = new VisionTokens(9, 8, 7, 6);

    /** Checks a count worked out by hand: 2 layers of width 8, 24 patches of 96 values, 6 tokens. */
    @Test
    void operationsAreThoseOfTheMatricesAndOfAttention() {
        VisionConfig config = new VisionConfig(2, 8, 20, 2, 4, 16, 24, 10_000, TOKENS);
        double embedding = 24 * 96 * 8;
        double block = 24 * (8 * 24 + 8 * 8 + 2 * 8 * 20);
        double attention = 2 * 24 * 24 * 8;
        double merger = 6 * (32 * 32 + 32 * 24);
        double all = 2 * (embedding + 2 * (block + attention) + merger);
        assertThat(new VisionFlops(config).of(new ImageGrid(2, 3))).isCloseTo(all, within(1e-6));
    }

    @Test
    void theMatricesOfTheCountAreTheParametersOfTheTower() {
        VisionConfig config = new VisionConfig(12, 768, 3072, 12, 16, 2304, 1024, 10_000, TOKENS);
        assertThat(config.parameterCount()).isEqualTo(100_592_896);
        long perToken = config.parameterShapes().entrySet().stream()
                .filter(parameter -> parameter.getValue().length > 1)
                .filter(parameter -> !parameter.getKey().contains("pos_embed"))
                .mapToLong(parameter -> (VisionConfig.ofMerger(parameter.getKey()) ? 1 : 4) * size(parameter))
                .sum();
        double attention = 4.0 * 12 * 768 * 4 * 4;
        assertThat(new VisionFlops(config).of(new ImageGrid(1, 1))).isCloseTo(2.0 * perToken + attention, within(1.0));
    }

    private static long size(Map.Entry<String, long[]> parameter) {
        return Arrays.stream(parameter.getValue()).reduce(1, Math::multiplyExact);
    }

    /** No square of the number of patches, which for this screenshot would be 5 GB in float32 for a layer's heads. */
    @Test
    void memoryGrowsWithThePatchesAlone() {
        VisionConfig config = new VisionConfig(12, 768, 3072, 12, 16, 2304, 1024, 10_000, TOKENS);
        long screenshot = VisionMemory.of(config, Precision.FP32, 10_200).bytes();
        long two = VisionMemory.of(config, Precision.FP32, 20_400).bytes();
        assertThat(VisionMemory.of(config, Precision.FP32, 30_600).bytes() - two)
                .isEqualTo(two - screenshot);
        assertThat(screenshot).isBetween(200_000_000L, 400_000_000L);
        assertThat(VisionMemory.of(config, Precision.BF16, 10_200).bytes()).isLessThan(screenshot);
    }

    @Test
    void whatTheAllocatorHoldsBackMustFitToo() {
        VisionMemory small = new VisionMemory(784, 40_000_000);
        VisionMemory large = new VisionMemory(10_200, 300_000_000);
        small.requireWithin(120_000_000);
        large.requireWithin(550_000_000);
        Refused.with(3, () -> small.requireWithin(119_999_999), "784 patches needs about 0.12 GB");
        Refused.with(3, () -> large.requireWithin(549_999_999), "10200 patches needs about 0.55 GB");
    }
}
