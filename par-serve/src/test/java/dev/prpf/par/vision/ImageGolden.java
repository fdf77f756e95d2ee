package dev.prpf.par.vision;

import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.ImageInputs;
import dev.prpf.par.engine.Prompt;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/**
 * A vision-language model of random weights and what transformers makes of three images: those of {@code make_pictures.py}, and those of
 * {@link Golden#larger}.
 *
 * @param folder of the model
 * @param file with the images
 * @param placeholder token
 */
public record ImageGolden(Path folder, String file, int placeholder) {
    public static final List<String> CASES = List.of("one", "two");

    /** For the patches of 4 x 4 pixels of the committed model. */
    public static final String PREPROCESSOR =
            """
            {"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "merge_size": 2, "temporal_patch_size": 2,
             "size": {"shortest_edge": 256, "longest_edge": 4096}, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
             "resample": 3}""";

    /** Returns the available ones, at least one. */
    public static Stream<ImageGolden> here() {
        return Stream.of("qwen3_5_vl", "qwen2_5_vl").flatMap(ImageGolden::here);
    }

    /** Returns the available ones of a family. */
    public static Stream<ImageGolden> here(String family) {
        Stream<ImageGolden> larger =
                Golden.larger(family).map(folder -> new ImageGolden(folder, "golden.safetensors", 511)).stream();
        return Stream.concat(Stream.of(own(family)), larger);
    }

    /** The committed one of a family. */
    public static ImageGolden own(String family) {
        return new ImageGolden(Golden.folder(family), "pictures.safetensors", 255);
    }

    public static ImageGolden own() {
        return own("qwen3_5_vl");
    }

    /** An image of noise. */
    public static Path image(Path file, int width, int height, long seed) throws IOException {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(seed);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                image.setRGB(x, y, random.nextInt(1 << 24));
            }
        }
        ImageIO.write(image, "png", file.toFile());
        return file;
    }

    public SafeTensors open() {
        return SafeTensors.open(folder.resolve(file));
    }

    /** The images of a case. */
    public static int[] images(String name) {
        return name.equals("one") ? new int[] {0} : new int[] {1, 2};
    }

    public static VisionPatches patches(SafeTensors golden, int image) {
        long[] grid = Golden.ids(golden, "picture" + image + ".grid_thw");
        return new VisionPatches(golden.floats("picture" + image + ".pixel_values"), (int) grid[1], (int) grid[2]);
    }

    /** Returns the reference's features of an image. */
    public static ImageFeatures features(SafeTensors golden, int image) {
        VisionPatches patches = patches(golden, image);
        ImageGrid grid = new ImageGrid(patches.rows() / 2, patches.columns() / 2);
        return new ImageFeatures("picture" + image, grid, golden.floats("picture" + image + ".embeds"));
    }

    /** The images of a case in its prompt. */
    public Prompt prompt(SafeTensors golden, String name) {
        List<ImageFeatures> features = Arrays.stream(images(name))
                .mapToObj(image -> features(golden, image))
                .toList();
        long[] ids = Golden.ids(golden, name + ".input_ids");
        return new Prompt(ids, ImageInputs.of(ids, placeholder, features));
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
