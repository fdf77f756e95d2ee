package dev.prpf.par.engine;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The images of a prompt with their features for the decoder.
 *
 * @param places of their placeholders
 * @param features one per image, in order
 */
public record ImageInputs(PromptImages places, List<ImageFeatures> features) {
    /** Images of a prompt of text only. */
    public static final ImageInputs NONE = new ImageInputs(PromptImages.NONE, List.of());

    private static final int HEX = 16;
    private static final int HEX_OF_A_LONG = 16;

    public ImageInputs {
        features = List.copyOf(features);
        if (!features.stream().map(ImageFeatures::grid).toList().equals(places.grids())) {
            throw new IllegalArgumentException("features of other images than " + places.grids());
        }
    }

    /** Returns whether the prompt has no images. */
    public boolean isEmpty() {
        return features.isEmpty();
    }

    /** Returns the heap bytes of its features. */
    public long bytes() {
        return features.stream()
                .mapToLong(one -> (long) Float.BYTES * one.values().length)
                .sum();
    }

    /**
     * Returns a prompt's tokens with a negative number for each placeholder, derived from the image and the index in it (63 bits). So prompts are
     * equal exactly if a decoder cannot distinguish them.
     */
    public long[] keyed(long[] ids) {
        long[] keyed = ids.clone();
        for (int i = 0; i < features.size(); i++) {
            String hash = AtomicFiles.sha256(features.get(i).key().getBytes(StandardCharsets.UTF_8));
            SplittableRandom numbers =
                    new SplittableRandom(Long.parseUnsignedLong(hash.substring(0, HEX_OF_A_LONG), HEX));
            int begin = places.begins().get(i);
            for (int t = begin; t < begin + features.get(i).grid().tokens(); t++) {
                keyed[t] = numbers.nextLong() | Long.MIN_VALUE;
            }
        }
        return keyed;
    }

    /**
     * Finds the features' places in a prompt.
     *
     * @throws PrpfException as {@link PromptImages#of}
     */
    public static ImageInputs of(long[] ids, int placeholder, List<ImageFeatures> features) {
        List<ImageGrid> grids = features.stream().map(ImageFeatures::grid).toList();
        return new ImageInputs(PromptImages.of(ids, placeholder, grids), features);
    }
}
