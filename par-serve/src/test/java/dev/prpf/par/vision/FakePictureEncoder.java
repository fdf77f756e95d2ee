package dev.prpf.par.vision;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.PictureFeatures;
import dev.prpf.par.engine.PictureGrid;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * Sees a picture's name: {@code 2x3.png} and {@code red-2x3.png} take 2 x 3 tokens, and their features are random numbers that the name seeds.
 * A budget of fewer tokens leaves one row.
 *
 * @param width D
 */
public record FakePictureEncoder(int width) implements PictureEncoder {
    private static final float SCALE = 0.5f;

    /** A picture of that name. */
    public static Picture picture(String name) {
        return new FakePictureEncoder(1).picture(ImageFile.of(Path.of(name)), 0);
    }

    @Override
    public Picture picture(ImageFile image, int maxTokens) {
        String name = String.valueOf(image.file());
        String[] sides = name.replaceFirst(".*?([0-9]+x[0-9]+)[.]png$", "$1").split("x", -1);
        if (sides.length != 2) {
            throw new InvalidDataException(image + " is no picture");
        }
        PictureGrid whole = new PictureGrid(Integer.parseInt(sides[0]), Integer.parseInt(sides[1]));
        PictureGrid grid =
                maxTokens == 0 || whole.tokens() <= maxTokens ? whole : new PictureGrid(1, Math.min(maxTokens, 2));
        return new Picture(image, name + grid, grid);
    }

    @Override
    public List<PictureFeatures> features(List<Picture> pictures) {
        return pictures.stream().map(this::features).toList();
    }

    private PictureFeatures features(Picture picture) {
        Random random = new Random(picture.key().hashCode());
        float[] values = new float[picture.grid().tokens() * width];
        for (int i = 0; i < values.length; i++) {
            values[i] = SCALE * (float) random.nextGaussian();
        }
        return new PictureFeatures(picture.key(), picture.grid(), values);
    }
}
