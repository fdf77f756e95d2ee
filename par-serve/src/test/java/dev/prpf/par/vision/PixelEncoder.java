package dev.prpf.par.vision;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.PictureFeatures;
import dev.prpf.par.engine.PictureGrid;
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
public record PixelEncoder(int width, AtomicInteger seen) implements PictureEncoder {
    private static final int SIDE = 16;
    private static final int WIDEST = 50;

    public PixelEncoder(int width) {
        this(width, new AtomicInteger());
    }

    @Override
    public Picture picture(ImageFile image, int maxTokens) {
        byte[] bytes = Objects.requireNonNull(image.content()).bytes();
        Pixels.Size size = Pixels.size(bytes);
        if (size.width() > WIDEST * size.height()) {
            throw new InvalidDataException("image of 51 times its height");
        }
        PictureGrid grid = new PictureGrid(size.height() / SIDE, size.width() / SIDE);
        return new Picture(image, AtomicFiles.sha256(bytes), grid);
    }

    @Override
    public List<PictureFeatures> features(List<Picture> pictures) {
        seen.addAndGet(pictures.size());
        return pictures.stream().map(this::features).toList();
    }

    private PictureFeatures features(Picture picture) {
        int[] rgb = picture.image().read().rgb();
        float[] values = new float[picture.grid().tokens() * width];
        for (int i = 0; i < values.length; i++) {
            values[i] = ((rgb[i * 7 % rgb.length] & 255) - 128) / 64f;
        }
        return new PictureFeatures(picture.key(), picture.grid(), values);
    }
}
