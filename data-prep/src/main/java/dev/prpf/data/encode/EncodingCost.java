package dev.prpf.data.encode;

import java.util.function.Supplier;

/**
 * What frozen encoders did. Loading them, and looking into their stores, is not counted: what the store has costs nothing.
 *
 * @param frameFlops floating-point operations of what sees screenshots, text recognition or a tower; two a multiply-add
 * @param frameSeconds their wall clock, reading and resizing included
 * @param textFlops operations of the text encoder, the texts of screenshots among them
 * @param textSeconds its wall clock, tokenizing included
 */
public record EncodingCost(double frameFlops, double frameSeconds, double textFlops, double textSeconds) {
    /** Nothing was encoded. */
    public static final EncodingCost NONE = new EncodingCost(0, 0, 0, 0);

    /** What was done since another look at the same encoders. */
    public EncodingCost since(EncodingCost before) {
        return new EncodingCost(
                frameFlops - before.frameFlops,
                frameSeconds - before.frameSeconds,
                textFlops - before.textFlops,
                textSeconds - before.textSeconds);
    }

    /** Both together. */
    public EncodingCost plus(EncodingCost other) {
        return new EncodingCost(
                frameFlops + other.frameFlops,
                frameSeconds + other.frameSeconds,
                textFlops + other.textFlops,
                textSeconds + other.textSeconds);
    }

    /** A share of what was done for frames, and of what was done for texts. */
    public EncodingCost times(double ofFrames, double ofTexts) {
        return new EncodingCost(
                frameFlops * ofFrames, frameSeconds * ofFrames, textFlops * ofTexts, textSeconds * ofTexts);
    }

    /** What all parts took together. */
    public double seconds() {
        return frameSeconds + textSeconds;
    }

    /** Something made and what it cost. */
    public record Costed<T>(T result, EncodingCost cost) {
        /** @param meter what the encoders did so far */
        public static <T> Costed<T> of(Supplier<EncodingCost> meter, Supplier<T> work) {
            EncodingCost before = meter.get();
            T result = work.get();
            return new Costed<>(result, meter.get().since(before));
        }
    }
}
