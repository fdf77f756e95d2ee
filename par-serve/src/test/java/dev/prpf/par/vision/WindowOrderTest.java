package dev.prpf.par.vision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.vision.PatchPlaces.WindowOrder;
import dev.prpf.par.vision.PatchPlaces.WindowOrder.Group;
import dev.prpf.par.vision.VisionConfig.VisionFamily;
import dev.prpf.par.vision.VisionConfig.VisionFlops;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import java.util.List;
import org.junit.jupiter.api.Test;

class WindowOrderTest {
    private static final VisionTokens TOKENS = new VisionTokens(3, 2, 1, 0);

    private static VisionConfig windowed(int windowSize, List<Integer> wholeBlocks) {
        return new VisionConfig(
                VisionFamily.QWEN2_5_VL, 2, 16, 20, 2, 4, 0, windowSize, wholeBlocks, 64, 10_000, TOKENS);
    }

    /** Three rows of five tokens in windows of 2 x 2: two are whole, three have two tokens, and the corner has one. */
    @Test
    void windowsOfOneSizeAreNextToEachOther() {
        WindowOrder order = WindowOrder.of(3, 5, 2);
        assertThat(order.tokens()).containsExactly(0, 1, 5, 6, 2, 3, 7, 8, 4, 9, 10, 11, 12, 13, 14);
        assertThat(order.groups()).containsExactly(new Group(4, 2), new Group(2, 3), new Group(1, 1));
        assertThat(order.pairs()).isEqualTo(2 * 16 + 3 * 4 + 1);
    }

    @Test
    void withoutWindowsAnImageIsOneWindow() {
        WindowOrder order = WindowOrder.of(2, 3, 0);
        assertThat(order.tokens()).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(order.groups()).containsExactly(new Group(6, 1));
    }

    /** Counts for 60 patches 4 D per attending pair: 45 pairs of tokens in windows, each of 4 x 4 patches, or 60 x 60. */
    @Test
    void operationsOfAttentionCountOnlyPairsWithinWindows() {
        ImageGrid grid = new ImageGrid(3, 5);
        double whole = new VisionFlops(windowed(16, List.of(0, 1))).of(grid);
        double half = new VisionFlops(windowed(16, List.of(1))).of(grid);
        assertThat(whole - half).isEqualTo(4.0 * 16 * (60 * 60 - 45 * 16));
        assertThat(new VisionFlops(windowed(0, List.of())).of(grid)).isEqualTo(whole);
    }
}
