package dev.prpf.par.generate;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.DecoderScript;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The sets of tokens that the rows of a batch may write next, on their way to the logits: a bit a token. */
final class TokenMask {
    private static final byte[] POWERS = {1, 2, 4, 8, 16, 32, 64, (byte) 128};

    private final int words;
    private final long[] everything;

    /** @param vocabulary tokens of the model */
    TokenMask(int vocabulary) {
        words = (vocabulary + Long.SIZE - 1) / Long.SIZE;
        everything = new long[words];
        Arrays.fill(everything, -1L);
    }

    /** The set of a row that no constraint binds. */
    long[] everything() {
        return everything;
    }

    /** The set of one token. */
    long[] only(long token) {
        long[] set = new long[words];
        set[(int) (token / Long.SIZE)] = 1L << token;
        return set;
    }

    /**
     * The logits with all tokens outside of the rows' sets far below every other.
     *
     * @param logits (B, V) float32
     * @param sets B sets
     */
    PtNDArray applied(PtNDManager scratch, PtNDArray logits, long[][] sets) {
        return DecoderScript.get().tensor(scratch, "masked", logits, packed(scratch, sets), powers(scratch));
    }

    /**
     * The logits with the tokens of the rows' sets made less likely.
     *
     * @param logits (B, V) float32
     * @param sets B sets; words of zeros at their ends may be left out
     */
    PtNDArray penalised(PtNDManager scratch, PtNDArray logits, long[][] sets, double penalty) {
        return DecoderScript.get()
                .tensor(scratch, "penalised", logits, packed(scratch, sets), powers(scratch), penalty);
    }

    private PtNDArray packed(PtNDManager scratch, long[][] sets) {
        int bytesOfOne = words * Long.BYTES;
        ByteBuffer bytes = ByteBuffer.allocateDirect(sets.length * bytesOfOne).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < sets.length; i++) {
            bytes.position(i * bytesOfOne).asLongBuffer().put(sets[i]);
        }
        return scratch.create(bytes.rewind(), new Shape(sets.length, bytesOfOne), DataType.UINT8);
    }

    private static PtNDArray powers(PtNDManager scratch) {
        ByteBuffer powers = ByteBuffer.allocateDirect(POWERS.length).put(POWERS).rewind();
        return scratch.create(powers, new Shape(POWERS.length), DataType.UINT8);
    }
}
