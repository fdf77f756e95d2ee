package dev.prpf.mpp.network.definition;

import java.util.SplittableRandom;

/** A dropout operation: the name of its random stream and the size of its input. */
public record DropoutSite(String name, Size size) {
    /** The n-th site of a definition, from 0. */
    public static DropoutSite of(int n, Size size) {
        return new DropoutSite("dropout." + n, size);
    }

    /** Returns a batch's mask of 0 and 1 / (1 - dropout). It depends only on seed and step, so a resumed run has the same masks. */
    public float[] mask(int batch, double dropout, long seed, long step) {
        float kept = (float) (1 / (1 - dropout));
        int threshold = (int) Math.round((dropout - 0.5) * 0x1p32);
        SplittableRandom random = new SplittableRandom(seed * 31 + step * 0x9E3779B97F4A7C15L + name.hashCode());
        float[] mask = new float[Math.multiplyExact(batch, size.length())];
        for (int i = 0; i < mask.length; i++) {
            mask[i] = random.nextInt() < threshold ? 0 : kept;
        }
        return mask;
    }
}
