package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.AntialiasedResize.Arithmetic;
import dev.prpf.data.encode.image.AntialiasedResize.Side;
import dev.prpf.data.encode.image.VisionProcessor.VisionGrid;
import dev.prpf.data.encode.spec.ImagePreprocessing.Filter;
import dev.prpf.data.encode.spec.VisionPreprocessing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Resizes images to a budget of visual tokens for a model on a server, so that the server's image processor keeps their size. A
 * token is a square of 32 pixels as in Qwen3-VL and Qwen3.5: two by two patches of 16.
 */
public final class ImageBudget {
    private static final int PATCH = 16;
    private static final VisionPreprocessing QWEN = new VisionPreprocessing(
            PATCH,
            2,
            2,
            1,
            100_000_000,
            List.of(0.5, 0.5, 0.5),
            List.of(0.5, 0.5, 0.5),
            VisionPreprocessing.Backend.TORCHVISION);

    private ImageBudget() {}

    /**
     * Returns the size in which an image is sent: its own if it fits the budget, else that of Qwen's {@code smart_resize}.
     *
     * @param maxTokens the budget, or null for no limit
     * @throws PrpfException 65 if there is a limit and one side is more than 200 times the other
     */
    public static Pixels.Size fitting(Pixels.Size size, @Nullable Integer maxTokens) {
        if (maxTokens == null
                || VisionGrid.of(QWEN, size.width(), size.height(), 0).tokens() <= maxTokens) {
            return size;
        }
        VisionGrid grid = VisionGrid.of(QWEN, size.width(), size.height(), maxTokens);
        return new Pixels.Size(grid.columns() * PATCH, grid.rows() * PATCH);
    }

    /** Returns an image as PNG in a size, resized like {@link VisionProcessor}. */
    public static byte[] png(Pixels image, Pixels.Size size) {
        byte[] pixels = image.bytes(0, 0, image.width(), image.height()); // (height, width, 3)
        if (size.width() != image.width()) {
            pixels = direction(image.width(), size.width()).acrossColumns(pixels, image.width(), 0);
        }
        if (size.height() != image.height()) {
            pixels = direction(image.height(), size.height()).acrossRows(pixels, size.width(), 0);
        }
        int[] rgb = new int[size.width() * size.height()];
        for (int at = 0; at < rgb.length; at++) {
            rgb[at] = (pixels[3 * at] & 255) << 16 | (pixels[3 * at + 1] & 255) << 8 | (pixels[3 * at + 2] & 255);
        }
        return new Pixels(size.width(), size.height(), rgb).png();
    }

    private static AntialiasedResize direction(int from, int to) {
        return AntialiasedResize.of(Side.whole(from, to), Filter.BICUBIC, Arithmetic.ATEN);
    }
}
