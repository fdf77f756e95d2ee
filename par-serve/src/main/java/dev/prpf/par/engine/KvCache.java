package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.Arrays;

/**
 * What the layers remember of the rows of a batch: caches of fixed length that each step writes in place. All rows stand at the same
 * position, so shorter ones begin with padding.
 */
public final class KvCache implements AutoCloseable {
    private static final Script SCRIPT = Script.decoder();

    private final Decoder decoder;
    private final int capacity;
    private final PtNDManager memory = TorchRuntime.newManager();
    private PtNDManager views = TorchRuntime.newManager();
    private PtNDArray[] caches;
    private long[] pads;

    /**
     * @param pads positions of padding that each row begins with
     * @param capacity positions of a row, padding included
     */
    public KvCache(Decoder decoder, long[] pads, int capacity) {
        this.decoder = decoder;
        this.capacity = capacity;
        this.pads = pads.clone();
        caches = SCRIPT.tensors(memory, "new_caches", decoder.fused(), (long) pads.length, (long) capacity, dims());
    }

    private long[] dims() {
        return decoder.config().dims();
    }

    public int rows() {
        return pads.length;
    }

    int capacity() {
        return capacity;
    }

    /** Keys and values of full layers (rows, K, capacity, H), inputs and states of linear ones: first all firsts, then all seconds. */
    public PtNDArray[] arrays() {
        return caches;
    }

    /**
     * Feeds tokens from a position on.
     *
     * @param method {@code step} for the last position's logits (B, V), {@code steps} for those of all (B, T, V)
     * @param input B times T tokens
     */
    public PtNDArray forward(PtNDManager scratch, String method, int at, long[] input) {
        int length = input.length / rows();
        RotaryTables.Pair tables = decoder.rotary().upTo(capacity);
        return SCRIPT.tensor(
                scratch,
                method,
                Decoder.longs(scratch, input, rows(), length),
                Decoder.longs(scratch, positions(at, length), rows(), length),
                decoder.fused(),
                tables.cosines(),
                tables.sines(),
                mask(scratch, at, length),
                Arrays.copyOf(caches, caches.length / 2),
                Arrays.copyOfRange(caches, caches.length / 2, caches.length),
                (long) at,
                dims(),
                decoder.config().normEpsilon());
    }

    private long[] positions(int at, int length) {
        long[] positions = new long[rows() * length];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = Math.max(0, at + i % length - pads[i / length]);
        }
        return positions;
    }

    private PtNDArray[] mask(PtNDManager scratch, int at, int length) {
        PtNDArray padding = Decoder.longs(scratch, pads, rows());
        if (at > 0 && length > 1) {
            return new PtNDArray[] {SCRIPT.tensor(scratch, "several_from_pads", padding, (long) at, (long) length)};
        }
        if (Arrays.stream(pads).allMatch(pad -> pad == 0)) {
            return Decoder.NO_ARRAYS;
        }
        if (at > 0) {
            return new PtNDArray[] {SCRIPT.tensor(scratch, "from_pads", padding, (long) at + length)};
        }
        return new PtNDArray[] {
            SCRIPT.tensor(scratch, "left_padded", padding, (long) length),
            SCRIPT.tensor(scratch, "kept", padding, (long) length, decoder.fused())
        };
    }

    /**
     * Takes over rows of others, so that they end before a position.
     *
     * @param into one row of these for each row taken
     * @param of the rows taken; one may be taken several times
     */
    public void put(KvCache others, long[] into, long[] of, int before) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            SCRIPT.tensors(
                    scratch,
                    "put_rows",
                    caches,
                    Decoder.longs(scratch, into, into.length),
                    others.caches,
                    Decoder.longs(scratch, of, of.length),
                    (long) before - others.capacity,
                    dims());
        }
        for (int i = 0; i < into.length; i++) {
            pads[(int) into[i]] = before - others.capacity + others.pads[(int) of[i]];
        }
    }

    /** Forgets a row; the last one takes its place. */
    public void drop(int row) {
        PtNDManager narrower = TorchRuntime.newManager();
        caches = SCRIPT.tensors(narrower, "without_row", caches, (long) row);
        views.close();
        views = narrower;
        pads[row] = pads[pads.length - 1];
        pads = Arrays.copyOf(pads, pads.length - 1);
    }

    @Override
    public void close() {
        views.close();
        memory.close();
    }
}
