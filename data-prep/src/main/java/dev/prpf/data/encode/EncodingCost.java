package dev.prpf.data.encode;

import java.util.function.Supplier;

/**
 * The cost of frozen encoders, without loading networks and reading stores.
 *
 * @param frameFlops floating-point operations for screenshots, by text recognition or a vision encoder; two per multiply-add
 * @param frameSeconds wall-clock seconds for screenshots, with reading and resizing
 * @param textFlops floating-point operations of the text encoder, also for texts of screenshots
 * @param textSeconds wall-clock seconds of the text encoder, with tokenization
 */
public record EncodingCost(double frameFlops, double frameSeconds, double textFlops, double textSeconds) {
    /** The cost before any encoding. */
    public static final EncodingCost NONE = new EncodingCost(0, 0, 0, 0);

    /** Returns the cost since an earlier measurement of the same encoders. */
    public EncodingCost since(EncodingCost before) {
        return new EncodingCost(
                frameFlops - before.frameFlops,
                frameSeconds - before.frameSeconds,
                textFlops - before.textFlops,
                textSeconds - before.textSeconds);
    }

    /** Returns the sum of two costs. */
    public EncodingCost plus(EncodingCost other) {
        return new EncodingCost(
                frameFlops + other.frameFlops,
                frameSeconds + other.frameSeconds,
                textFlops + other.textFlops,
                textSeconds + other.textSeconds);
    }

    /** Returns a share of the cost for frames and of the cost for texts. */
    public EncodingCost times(double ofFrames, double ofTexts) {
        return new EncodingCost(
                frameFlops * ofFrames, frameSeconds * ofFrames, textFlops * ofTexts, textSeconds * ofTexts);
    }

    /** Returns the wall-clock seconds of frames and texts. */
    public double seconds() {
        return frameSeconds + textSeconds;
    }

    public record Costed<T>(T result, EncodingCost cost) {
        /** @param meter returns the encoders' cost so far */
        public static <T> Costed<T> of(Supplier<EncodingCost> meter, Supplier<T> work) {
            EncodingCost before = meter.get();
            T result = work.get();
            return new Costed<>(result, meter.get().since(before));
        }
    }
}
