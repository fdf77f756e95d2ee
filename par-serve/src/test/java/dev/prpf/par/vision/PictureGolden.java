package dev.prpf.par.vision;

import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.image.VisionPatches;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.PictureFeatures;
import dev.prpf.par.engine.PictureGrid;
import dev.prpf.par.engine.PictureInputs;
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
 * A vision-language model of random weights and what transformers makes of three pictures: those of {@code make_pictures.py}, and those of
 * {@link Golden#larger}.
 *
 * @param folder of the model
 * @param file with the pictures
 * @param placeholder token
 */
public record PictureGolden(Path folder, String file, int placeholder) {
    public static final List<String> CASES = List.of("one", "two");

    /** For the patches of 4 x 4 pixels of the committed model. */
    public static final String PREPROCESSOR =
            """
            {"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "merge_size": 2, "temporal_patch_size": 2,
             "size": {"shortest_edge": 256, "longest_edge": 4096}, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
             "resample": 3}""";

    /** Returns the available ones, at least one. */
    public static Stream<PictureGolden> here() {
        return Stream.of("qwen3_5_vl", "qwen2_5_vl").flatMap(PictureGolden::here);
    }

    /** Returns the available ones of a family. */
    public static Stream<PictureGolden> here(String family) {
        Stream<PictureGolden> larger =
                Golden.larger(family).map(folder -> new PictureGolden(folder, "golden.safetensors", 511)).stream();
        return Stream.concat(Stream.of(own(family)), larger);
    }

    /** The committed one of a family. */
    public static PictureGolden own(String family) {
        return new PictureGolden(Golden.folder(family), "pictures.safetensors", 255);
    }

    public static PictureGolden own() {
        return own("qwen3_5_vl");
    }

    /** A picture of noise. */
    public static Path picture(Path file, int width, int height, long seed) throws IOException {
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

    /** The pictures of a case. */
    public static int[] pictures(String name) {
        return name.equals("one") ? new int[] {0} : new int[] {1, 2};
    }

    public static VisionPatches patches(SafeTensors golden, int picture) {
        long[] grid = Golden.ids(golden, "picture" + picture + ".grid_thw");
        return new VisionPatches(golden.floats("picture" + picture + ".pixel_values"), (int) grid[1], (int) grid[2]);
    }

    /** Returns the reference's features of an image. */
    public static PictureFeatures features(SafeTensors golden, int picture) {
        VisionPatches patches = patches(golden, picture);
        PictureGrid grid = new PictureGrid(patches.rows() / 2, patches.columns() / 2);
        return new PictureFeatures("picture" + picture, grid, golden.floats("picture" + picture + ".embeds"));
    }

    /** The pictures of a case in its prompt. */
    public Prompt prompt(SafeTensors golden, String name) {
        List<PictureFeatures> features = Arrays.stream(pictures(name))
                .mapToObj(picture -> features(golden, picture))
                .toList();
        long[] ids = Golden.ids(golden, name + ".input_ids");
        return new Prompt(ids, PictureInputs.of(ids, placeholder, features));
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
