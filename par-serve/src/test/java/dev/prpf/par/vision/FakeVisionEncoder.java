package dev.prpf.par.vision;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * Sees an image's name: {@code 2x3.png} and {@code red-2x3.png} take 2 x 3 tokens, and their features are random numbers that the name seeds.
 * A budget of fewer tokens leaves one row.
 *
 * @param width D
 */
public record FakeVisionEncoder(int width) implements VisionEncoder {
    private static final float SCALE = 0.5f;

    /** An image of that name. */
    public static VisionImage image(String name) {
        return new FakeVisionEncoder(1).image(ImageFile.of(Path.of(name)), 0);
    }

    @Override
    public VisionImage image(ImageFile image, int maxTokens) {
        String name = String.valueOf(image.file());
        String[] sides = name.replaceFirst(".*?([0-9]+x[0-9]+)[.]png$", "$1").split("x", -1);
        if (sides.length != 2) {
            throw new InvalidDataException(image + " is no image");
        }
        ImageGrid whole = new ImageGrid(Integer.parseInt(sides[0]), Integer.parseInt(sides[1]));
        ImageGrid grid =
                maxTokens == 0 || whole.tokens() <= maxTokens ? whole : new ImageGrid(1, Math.min(maxTokens, 2));
        return new VisionImage(image, name + grid, grid);
    }

    @Override
    public List<ImageFeatures> features(List<VisionImage> images) {
        return images.stream().map(this::features).toList();
    }

    private ImageFeatures features(VisionImage image) {
        Random random = new Random(image.key().hashCode());
        float[] values = new float[image.grid().tokens() * width];
        for (int i = 0; i < values.length; i++) {
            values[i] = SCALE * (float) random.nextGaussian();
        }
        return new ImageFeatures(image.key(), image.grid(), values);
    }
}
