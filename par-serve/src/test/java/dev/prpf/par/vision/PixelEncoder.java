package dev.prpf.par.vision;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An encoder of images in memory without a model: one token per square of 16 pixels, with the image's pixels as features. It refuses an image with a
 * width of 51 times its height.
 *
 * @param width of the features
 * @param seen number of encoded images
 */
public record PixelEncoder(int width, AtomicInteger seen) implements VisionEncoder {
    private static final int SIDE = 16;
    private static final int WIDEST = 50;

    public PixelEncoder(int width) {
        this(width, new AtomicInteger());
    }

    @Override
    public VisionImage image(ImageFile image, int maxTokens) {
        byte[] bytes = Objects.requireNonNull(image.content()).bytes();
        Pixels.Size size = Pixels.size(bytes);
        if (size.width() > WIDEST * size.height()) {
            throw new InvalidDataException("image of 51 times its height");
        }
        ImageGrid grid = new ImageGrid(size.height() / SIDE, size.width() / SIDE);
        return new VisionImage(image, AtomicFiles.sha256(bytes), grid);
    }

    @Override
    public List<ImageFeatures> features(List<VisionImage> images) {
        seen.addAndGet(images.size());
        return images.stream().map(this::features).toList();
    }

    private ImageFeatures features(VisionImage image) {
        int[] rgb = image.image().read().rgb();
        float[] values = new float[image.grid().tokens() * width];
        for (int i = 0; i < values.length; i++) {
            values[i] = ((rgb[i * 7 % rgb.length] & 255) - 128) / 64f;
        }
        return new ImageFeatures(image.key(), image.grid(), values);
    }
}
