package dev.prpf.par.sets;

import dev.prpf.par.augment.AugmentationSettings;

/**
 * How examples are built; the {@code examples:} section of {@code configs/par-sft*.yaml}.
 *
 * @param topK scenarios a candidate pool holds
 * @param outOfPool what happens where a target's functions are not in the perceived scenarios
 * @param maxLength an example of more tokens is over-long
 * @param overLong what happens to over-long examples; they are never cut
 * @param silentShare of the samples whose target is silence that are trained on, in [0, 1]; {@link dev.prpf.par.augment.SilentShare}
 * @param seed of the silent samples that stay, of the scenarios that stand beside the gold ones where no perceiver ran, and of the augmentation
 * @param augmentation how samples are rewritten before every epoch
 */
public record SftExampleSettings(
        int topK,
        OutOfPool outOfPool,
        int maxLength,
        OverLong overLong,
        double silentShare,
        long seed,
        AugmentationSettings augmentation) {
    /** What to do with an example that is too long. */
    public enum OverLong {
        /** Leave with 65. */
        REFUSE,
        /** Leave it out and count it. */
        DROP
    }

    public SftExampleSettings {
        if (topK < 1) {
            throw new IllegalArgumentException("top-k = " + topK + ", must be at least 1");
        }
        if (maxLength < 2) {
            throw new IllegalArgumentException("max-length = " + maxLength + ", must be at least 2");
        }
        if (!(silentShare >= 0 && silentShare <= 1)) {
            throw new IllegalArgumentException("silent-share = " + silentShare + ", must be in [0, 1]");
        }
    }
}
