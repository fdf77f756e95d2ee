package dev.prpf.par.augment;

import dev.prpf.base.config.Rule;
import java.util.List;

/**
 * How training samples are rewritten before an epoch; the {@code examples.augmentation:} section of {@code configs/par-sft*.yaml}. Not in the paper,
 * whose reasoner is pretrained; {@link #NONE} is the paper's.
 *
 * @param valueSubstitution the share of the samples, in [0, 1], whose copied values are exchanged for other values of the same parameters
 * @param distractorDropout for each epoch the share, in [0, 1], of the steps and sentences without a copied value, and of the
 *     candidate functions that the target does not call, that are left out; a curriculum from short contexts to whole ones. The same share of the silent samples is
 *     emptied but for one step. Epochs beyond the list leave out nothing
 */
public record AugmentationSettings(double valueSubstitution, List<Double> distractorDropout) {
    /** Samples as they are. */
    public static final AugmentationSettings NONE = new AugmentationSettings(0, List.of());

    public AugmentationSettings {
        distractorDropout = List.copyOf(distractorDropout);
        requireShare("value-substitution", valueSubstitution);
        for (int epoch = 0; epoch < distractorDropout.size(); epoch++) {
            requireShare("distractor-dropout[" + epoch + "]", distractorDropout.get(epoch));
        }
    }

    private static void requireShare(String key, double value) {
        Rule.require(value >= 0 && value <= 1, key, value, "in [0, 1]");
    }

    /** Whether some epoch changes samples. */
    public boolean any() {
        return valueSubstitution > 0 || distractorDropout.stream().anyMatch(share -> share > 0);
    }

    double dropout(int epoch) {
        return epoch < distractorDropout.size() ? distractorDropout.get(epoch) : 0;
    }
}
