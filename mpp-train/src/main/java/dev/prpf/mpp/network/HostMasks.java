package dev.prpf.mpp.network;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What masks add to scores before a softmax. */
final class HostMasks {
    private HostMasks() {}

    /** {@link MppBody#MASKED} where a sample's mask is 0, 0 where it is 1 or where there is no mask. */
    static void bias(@Nullable HostMatrix mask, int sample, float[] bias) {
        if (mask == null) {
            Arrays.fill(bias, 0);
            return;
        }
        mask.read(sample, bias);
        for (int i = 0; i < bias.length; i++) {
            bias[i] = (1 - bias[i]) * (float) MppBody.MASKED;
        }
    }
}
