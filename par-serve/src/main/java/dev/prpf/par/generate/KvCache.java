package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TorchRuntime;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.ArrayUtils;

/**
 * The cache of sequences, one row each, with its own length: keys and values by position, and states of fixed size. Rows in use are the first ones; a
 * forward pass feeds each of these at least one token. Not thread-safe.
 */
public final class KvCache implements AutoCloseable {
    private static final Script SCRIPT = Script.decoder();

    private final CausalLm decoder;
    private final int capacity;
    private final int[] lengths;
    /** Number of positions written in each row since it was zeroed. */
    private final int[] written;

    private final PtNDManager memory = TorchRuntime.newManager();
    private final PtNDArray[] first;
    private final PtNDArray[] second;
    private final PtNDArray[] firstRows;
    private final PtNDArray[] secondRows;

    /**
     * A copy of a part of a row, outside of the cache.
     *
     * @param memory owns the arrays
     * @param positions keys and values, (2 * layers of attention, K, positions, H); empty without attention layers
     * @param states inputs and states of linear layers at the part's end; empty if not requested
     */
    public record Saved(PtNDManager memory, PtNDArray[] positions, PtNDArray[] states, long bytes)
            implements AutoCloseable {
        /** Returns whether a value is NaN, or there are infinities of both signs. */
        public boolean holdsNan() {
            PtNDArray[] all = ArrayUtils.addAll(positions, states);
            if (all.length == 0) {
                return false;
            }
            try (PtNDManager scratch = TorchRuntime.newManager()) {
                return HostValues.flag(SCRIPT.tensor(scratch, "holds_nan", (Object) all));
            }
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    /**
     * Tokens of all rows in use, row after row.
     *
     * @param embeddings (1, T, D) float32
     * @param positions (axes, 1, T): one axis, or three
     * @param counts tokens of each row, at least one
     * @param outputs indices of the tokens with requested logits, in this order
     */
    public record Input(PtNDArray embeddings, PtNDArray positions, int[] counts, long[] outputs) {}

    /**
     * Rows with few tokens each, padded to the widest so that attention takes one call.
     *
     * @param width number of tokens of the widest row; 0 without padding
     * @param padded the token at each place of (rows, width), a row's own at its end
     * @param unpadded the index of each token in the padded array
     */
    private record Padding(int width, long[] padded, long[] unpadded) {
        private static final int WIDEST = 32;

        static Padding of(int[] counts, int tokens) {
            int width = Arrays.stream(counts).max().orElseThrow();
            if (counts.length == 1 || width == 1 || width > WIDEST) {
                return new Padding(0, new long[0], new long[0]);
            }
            long[] padded = new long[counts.length * width];
            long[] unpadded = new long[tokens];
            int at = 0;
            for (int row = 0; row < counts.length; row++) {
                int first = (row + 1) * width - counts[row];
                Arrays.fill(padded, row * width, first, at);
                for (int i = 0; i < counts[row]; i++, at++) {
                    padded[first + i] = at;
                    unpadded[at] = (long) first + i;
                }
            }
            return new Padding(width, padded, unpadded);
        }
    }

    /**
     * @param rows number of sequences
     * @param capacity number of positions in a row
     */
    public KvCache(CausalLm decoder, int rows, int capacity) {
        this.decoder = decoder;
        this.capacity = capacity;
        lengths = new int[rows];
        written = new int[rows];
        PtNDArray[] both = SCRIPT.tensors(memory, "new_caches", decoder.fused(), (long) rows, (long) capacity);
        PtNDArray[] seenAsRows = SCRIPT.tensors(memory, "as_rows", decoder.fused(), both);
        int layers = both.length / 2;
        first = Arrays.copyOf(both, layers);
        second = Arrays.copyOfRange(both, layers, 2 * layers);
        firstRows = Arrays.copyOf(seenAsRows, layers);
        secondRows = Arrays.copyOfRange(seenAsRows, layers, 2 * layers);
    }

    /** Returns the number of positions in a row. */
    public int capacity() {
        return capacity;
    }

    /** Returns the number of tokens in a row. */
    public int length(int row) {
        return lengths[row];
    }

    /** Returns all arrays: keys, or inputs of linear layers, then values, or their states. */
    public PtNDArray[] arrays() {
        return ArrayUtils.addAll(first, second);
    }

    /**
     * Appends tokens of text to each row.
     *
     * @param tokens of rows 0, 1, …, at least one each
     * @param outputs indices of the tokens with requested logits, over all rows
     * @return logits (outputs, V) float32; (0, 0) if none are requested
     */
    public PtNDArray forward(PtNDManager scratch, long[][] tokens, long[] outputs) {
        int[] counts = Arrays.stream(tokens).mapToInt(row -> row.length).toArray();
        long[] ids = Arrays.stream(tokens).flatMapToLong(Arrays::stream).toArray();
        long[] positions = new long[ids.length];
        int at = 0;
        for (int row = 0; row < counts.length; row++) {
            for (int i = 0; i < counts[row]; i++) {
                positions[at++] = (long) lengths[row] + i;
            }
        }
        PtNDArray x = decoder.embed(scratch, ids);
        return forward(scratch, new Input(x, CausalLm.longs(scratch, positions, 1, 1, at), counts, outputs));
    }

    /** Appends embeddings with given positions to each row. */
    public PtNDArray forward(PtNDManager scratch, Input input) {
        int[] counts = input.counts();
        long[] begin = new long[counts.length];
        int heads = decoder.config().attention().keyValueHeads();
        long[] write = new long[Arrays.stream(counts).sum() * heads];
        long[] last = new long[counts.length];
        long[] ends = new long[counts.length];
        int at = 0;
        for (int row = 0; row < counts.length; row++) {
            requireRoom(row, counts[row]);
            begin[row] = lengths[row];
            ends[row] = begin[row] + counts[row];
            for (int i = 0; i < counts[row]; i++, at++) {
                for (int head = 0; head < heads; head++) {
                    write[at * heads + head] = ((long) row * heads + head) * capacity + begin[row] + i;
                }
            }
            last[row] = at - 1L;
        }
        long longest = Arrays.stream(ends).max().orElseThrow();
        boolean ragged = Arrays.stream(ends).anyMatch(end -> end < longest);
        Padding padding = Padding.of(counts, at);
        RotaryTables.Pair tables = decoder.rotary().upTo(capacity);
        for (int row = 0; row < counts.length; row++) {
            writeUpTo(row, lengths[row] + counts[row]);
        }
        PtNDArray[] places =
                together(scratch, input.outputs(), write, last, ends, padding.padded(), padding.unpadded());
        PtNDArray logits = SCRIPT.tensor(
                scratch,
                "forward",
                input.embeddings(),
                input.positions(),
                places[0],
                begin,
                IntStream.of(counts).asLongStream().toArray(),
                places[1],
                places[2],
                (PtNDArray) places[3].reshape(ends.length, 1, 1, 1),
                longest,
                ragged,
                (long) padding.width(),
                places[4],
                places[5],
                decoder.fused(),
                tables.cosines(),
                tables.sines(),
                tables.axes(),
                first,
                second,
                firstRows,
                secondRows);
        for (int row = 0; row < counts.length; row++) {
            lengths[row] += counts[row];
        }
        return logits;
    }

    /** Copies several lists to the device in one copy, because each copy waits for the GPU. */
    private static PtNDArray[] together(PtNDManager scratch, long[]... lists) {
        long[] all = Stream.of(lists).flatMapToLong(LongStream::of).toArray();
        long[] sizes = Stream.of(lists).mapToLong(list -> list.length).toArray();
        return SCRIPT.tensors(scratch, "parts", CausalLm.longs(scratch, all, all.length), sizes);
    }

    private void writeUpTo(int row, int end) {
        written[row] = Math.max(written[row], end);
    }

    private void requireRoom(int row, int count) {
        if (count < 1 || lengths[row] + count > capacity) {
            throw new IllegalArgumentException("row " + row + " of the cache holds " + lengths[row] + " of " + capacity
                    + " positions and takes 1 to " + (capacity - lengths[row]) + " tokens, not " + count);
        }
    }

    /** Copies a row to another one. */
    public void copy(int of, int into) {
        run("copy_row", (long) into, (long) of, (long) lengths[of]);
        lengths[into] = lengths[of];
        writeUpTo(into, lengths[into]);
    }

    /** Removes all tokens of a row. */
    public void clear(int row) {
        run("clear_row", (long) row);
        lengths[row] = 0;
    }

    /** Removes all tokens of a row and overwrites them with zeros. A mask multiplies hidden values by 0, and NaN would stay NaN. */
    public void wipe(int row) {
        run("wipe_row", (long) row, (long) written[row]);
        lengths[row] = 0;
        written[row] = 0;
    }

    /** Removes the tokens of a row from a position on; only if every layer has attention. */
    public void truncate(int row, int length) {
        if (!rewinds()) {
            throw new IllegalStateException("states of linear layers cannot go back");
        }
        lengths[row] = Math.min(length, lengths[row]);
    }

    /** Returns whether every layer sees the whole row: none has a window. */
    public boolean seesAll() {
        return decoder.config().of(AttentionShape.class).allMatch(shape -> shape.window() == 0);
    }

    /** Returns whether a row can go back to an earlier position: linear layers keep only their last state. */
    public boolean rewinds() {
        return decoder.config().deltaNet() == null;
    }

    /**
     * Saves part of a row.
     *
     * @param states whether to save the current states of linear layers too
     */
    public Saved save(int row, int begin, int end, boolean states) {
        PtNDManager owner = TorchRuntime.newManager();
        try {
            PtNDArray[] positions = SCRIPT.tensors(
                    owner, "save_positions", decoder.fused(), first, second, (long) row, (long) begin, (long) end);
            PtNDArray[] kept = states
                    ? SCRIPT.tensors(owner, "save_states", decoder.fused(), first, second, (long) row)
                    : new PtNDArray[0];
            long bytes = decoder.shape().activationBytes() * size(positions) + Float.BYTES * size(kept);
            return new Saved(owner, positions, kept, bytes);
        } catch (RuntimeException | OutOfMemoryError e) {
            owner.close();
            throw e;
        }
    }

    private static long size(PtNDArray[] arrays) {
        return Arrays.stream(arrays).mapToLong(array -> array.getShape().size()).sum();
    }

    /**
     * Appends a saved part to a row.
     *
     * @param states whether to load the part's states of linear layers too
     */
    public void load(int row, Saved part, int positions, boolean states) {
        if (part.positions().length > 0) {
            run("load_positions", (long) row, (long) lengths[row], part.positions());
        }
        if (states) {
            run("load_states", (long) row, part.states());
        }
        lengths[row] += positions;
        writeUpTo(row, lengths[row]);
    }

    /** Sets a row back to a length, with the states saved there. */
    public void restore(int row, int length, Saved part) {
        run("load_states", (long) row, part.states());
        lengths[row] = length;
    }

    private void run(String method, Object... arguments) {
        Object[] all = new Object[3 + arguments.length];
        all[0] = decoder.fused();
        all[1] = first;
        all[2] = second;
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        SCRIPT.value(method, all).close();
    }

    @Override
    public void close() {
        memory.close();
    }
}
