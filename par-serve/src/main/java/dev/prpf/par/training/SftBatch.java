package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.model.RotaryTables;
import java.util.Arrays;
import java.util.List;

/**
 * Examples side by side, padded on the right: padding comes after everything that is supervised, so the causal mask alone keeps it out.
 *
 * @param ids (B, T)
 * @param positions (1, T)
 * @param where flat positions in (B * T) whose next token is supervised, (rows)
 * @param labels those next tokens, (rows)
 */
record SftBatch(PtNDArray ids, PtNDArray positions, PtNDArray where, PtNDArray labels) {
    /** libtorch compiles and keeps a kernel for each shape it meets, so shapes are filled up to multiples of these. */
    private static final int WIDTH_STEP = 8;

    private static final int ROW_STEP = 32;

    /** A label that counts nowhere. */
    private static final long FILLING = -100;

    /** The last token of an example is only ever a label, so T is the longest example less one, filled up. */
    static SftBatch of(PtNDManager owner, List<SftExample> examples) {
        int longest = examples.stream().mapToInt(SftExample::length).max().orElseThrow() - 1;
        int width = roundUp(longest, WIDTH_STEP);
        long[] ids = new long[examples.size() * width];
        int supervised = roundUp(Math.toIntExact(supervisedTokens(examples)), ROW_STEP);
        long[] where = new long[supervised];
        long[] labels = new long[supervised];
        Arrays.fill(labels, FILLING);
        int row = 0;
        for (int b = 0; b < examples.size(); b++) {
            SftExample example = examples.get(b);
            int start = b * width;
            int prompt = example.prompt().length;
            int response = example.response().length;
            System.arraycopy(example.prompt(), 0, ids, start, prompt);
            System.arraycopy(example.response(), 0, ids, start + prompt, response - 1);
            for (int i = 0; i < response; i++) {
                where[row] = start + prompt - 1L + i;
                labels[row++] = example.response()[i];
            }
        }
        return new SftBatch(
                longs(owner, ids, examples.size(), width),
                longs(owner, RotaryTables.positions(width), 1, width),
                longs(owner, where, supervised),
                longs(owner, labels, supervised));
    }

    private static int roundUp(int value, int step) {
        return (value + step - 1) / step * step;
    }

    /** The tokens that are learned: all of the responses. */
    static long supervisedTokens(List<SftExample> examples) {
        return examples.stream().mapToLong(example -> example.response().length).sum();
    }

    private static PtNDArray longs(PtNDManager owner, long[] values, long... shape) {
        return (PtNDArray) owner.create(values, new Shape(shape));
    }
}
