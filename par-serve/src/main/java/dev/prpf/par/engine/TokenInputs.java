package dev.prpf.par.engine;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The decoder's input: tokens of several rows, one row after the other. It has their embeddings, with features of images in place of placeholders,
 * and their positions.
 */
public final class TokenInputs {
    private static final int AXES = 3;

    private final List<long[]> tokens = new ArrayList<>();
    private final List<long[][]> positions = new ArrayList<>();
    private final List<Long> places = new ArrayList<>();
    private final List<FloatBuffer> features = new ArrayList<>();
    private boolean hasImages;
    private int length;

    /**
     * Adds a row's tokens.
     *
     * @param begin number of the row's tokens before them
     * @param images of the row's prompt
     */
    public void add(long[] row, int begin, ImageInputs images) {
        int end = begin + row.length;
        tokens.add(row);
        positions.add(images.places().positions(begin, end));
        for (int i = 0; i < images.features().size(); i++) {
            ImageFeatures image = images.features().get(i);
            int first = images.places().begins().get(i);
            int from = Math.max(begin, first);
            int to = Math.min(end, first + image.grid().tokens());
            if (from < to) {
                LongStream.range(from, to).forEach(token -> places.add(length + token - begin));
                int width = image.width();
                features.add(FloatBuffer.wrap(image.values(), (from - first) * width, (to - from) * width));
            }
        }
        hasImages |= !images.features().isEmpty();
        length += row.length;
    }

    public int[] counts() {
        return tokens.stream().mapToInt(row -> row.length).toArray();
    }

    /** Returns the embeddings, (1, T, D) float32. */
    public PtNDArray embeddings(CausalLm decoder, PtNDManager scratch) {
        long[] ids = tokens.stream().flatMapToLong(Arrays::stream).toArray();
        PtNDArray x = decoder.embed(scratch, ids);
        if (places.isEmpty()) {
            return x;
        }
        long[] at = places.stream().mapToLong(Long::longValue).toArray();
        long[] shape = {at.length, decoder.config().hiddenSize()};
        return Script.decoder()
                .tensor(
                        scratch,
                        "with_rows",
                        x,
                        CausalLm.longs(scratch, at, at.length),
                        Tensors.createFrom(scratch, shape, features));
    }

    /** Returns the positions, (axes, 1, T): one axis if no row has images, else three. */
    public PtNDArray positions(PtNDManager scratch) {
        int axes = hasImages ? AXES : 1;
        long[] all = new long[axes * length];
        int at = 0;
        for (long[][] row : positions) {
            for (int axis = 0; axis < axes; axis++) {
                System.arraycopy(row[axis], 0, all, axis * length + at, row[axis].length);
            }
            at += row[0].length;
        }
        return (PtNDArray) scratch.create(all, new Shape(axes, 1, length));
    }
}
