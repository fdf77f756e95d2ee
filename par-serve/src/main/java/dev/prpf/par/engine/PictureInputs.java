package dev.prpf.par.engine;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The pictures of a prompt with what the decoder sees of them.
 *
 * @param places where they stand
 * @param features one a picture, in order
 */
public record PictureInputs(PromptPictures places, List<PictureFeatures> features) {
    /** Images of a prompt of text only. */
    public static final PictureInputs NONE = new PictureInputs(PromptPictures.NONE, List.of());

    private static final int HEX = 16;
    private static final int HEX_OF_A_LONG = 16;

    public PictureInputs {
        features = List.copyOf(features);
        if (!features.stream().map(PictureFeatures::grid).toList().equals(places.grids())) {
            throw new IllegalArgumentException("features of other pictures than " + places.grids());
        }
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return features.isEmpty();
    }

    /** The heap that its features take. */
    public long bytes() {
        return features.stream()
                .mapToLong(one -> (long) Float.BYTES * one.values().length)
                .sum();
    }

    /**
     * A prompt's tokens with a negative number in place of each placeholder, which the picture and the place in it decide (63 bits): prompts
     * that a decoder cannot tell apart are equal, and others differ.
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
     * @throws PrpfException as {@link PromptPictures#of}
     */
    public static PictureInputs of(long[] ids, int placeholder, List<PictureFeatures> features) {
        List<PictureGrid> grids = features.stream().map(PictureFeatures::grid).toList();
        return new PictureInputs(PromptPictures.of(ids, placeholder, grids), features);
    }
}
