package dev.prpf.par.training;

import static dev.prpf.par.engine.CausalLm.longs;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.PromptImages;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingVision.BatchImages;
import dev.prpf.par.vision.PromptImageReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A batch of examples, one or several per row. Rows are padded on the right. Padding follows everything supervised, so a row of one example needs
 * only the causal mask.
 *
 * @param ids (B, T)
 * @param positions of each token in its own sequence, (1, B, T). (1, 1, T) if all rows are equal; (3, B, T) with images, for rows and columns
 * @param sequences number of each token's sequence, from 1; 0 for padding, (B, T); empty if a row is one sequence
 * @param where flat positions in (B * T) with a supervised next token, (rows)
 * @param labels those next tokens, (rows), in the examples' order
 * @param at flat positions in (B * T) of the images' features, (N)
 * @param images with the features
 */
record SftBatch(
        PtNDArray ids,
        PtNDArray positions,
        PtNDArray sequences,
        PtNDArray where,
        PtNDArray labels,
        PtNDArray at,
        BatchImages images) {
    /** The number of axes: time, height and width. */
    private static final int IMAGE_AXES = 3;

    /** libtorch compiles and caches a kernel for each shape, so shapes are rounded up to multiples of these. */
    private static final int WIDTH_STEP = 8;

    private static final int ROW_STEP = 32;

    /** Most bytes of logits at a time, with all copies and their gradient. */
    private static final int LOGITS = 512 << 20;

    /** Below this number of bytes at a time, the saving is negligible. */
    private static final int FEW_LOGITS = 64 << 20;

    /** The label of padding, which is ignored. */
    private static final long FILLING = -100;

    /** Creates a batch with one example per row. The last token of an example is only a label, so T is the longest example less one, rounded up. */
    static SftBatch of(PtNDManager owner, List<SftExample> examples, BatchImages images) {
        int width = width(longest(examples));
        Tokens tokens = new Tokens(examples, new Tokens.Size(examples.size(), width), images);
        for (int b = 0; b < examples.size(); b++) {
            tokens.put(examples.get(b), b, 0, 1);
        }
        PtNDArray positions =
                tokens.axes == 1 ? longs(owner, RotaryTables.positions(width), 1, 1, width) : tokens.positions(owner);
        return tokens.batch(owner, positions, longs(owner, new long[0], 0));
    }

    /** Creates a batch with rows as long as the longest example, each filled with as many examples as fit. */
    static SftBatch packed(PtNDManager owner, List<SftExample> examples, BatchImages images) {
        int width = width(longest(examples));
        Packing packing = Packing.of(examples, width);
        int rows = packing.rows();
        Tokens tokens = new Tokens(examples, new Tokens.Size(rows, width), images);
        for (int i = 0; i < examples.size(); i++) {
            Packing.Place place = packing.places().get(i);
            tokens.put(examples.get(i), place.row(), place.offset(), place.number());
        }
        return tokens.batch(owner, tokens.positions(owner), longs(owner, tokens.sequences, rows, width));
    }

    /** Returns the sizes of a batch without creating its arrays. */
    static GradientMemory.Batch size(List<SftExample> examples, boolean packed) {
        int width = width(longest(examples));
        int rows = packed ? Packing.of(examples, width).rows() : examples.size();
        return new GradientMemory.Batch(rows, width, rows(supervisedTokens(examples)), packed);
    }

    private static int longest(List<SftExample> examples) {
        return examples.stream().mapToInt(SftExample::length).max().orElseThrow();
    }

    /** Returns T for a longest example of {@code longest} tokens. */
    public static int width(int longest) {
        return roundUp(longest - 1, WIDTH_STEP);
    }

    /** Returns the number of labels, rounded up to whole blocks. */
    public static long rows(long labels) {
        return roundUp(Math.toIntExact(labels), ROW_STEP);
    }

    /** Returns this batch with other features of the same images. */
    SftBatch with(BatchImages others) {
        return new SftBatch(ids, positions, sequences, where, labels, at, others);
    }

    private static final class Tokens {
        private final int width;
        private final int axes;
        private final BatchImages images;
        private final long[] ids;
        private final long[] positions;
        private final long[] sequences;
        private final long[] where;
        private final long[] labels;
        private final long[] at;
        private int row;
        private int seen;

        /** The size (B, T) of a batch. */
        record Size(int rows, int width) {}

        Tokens(List<SftExample> examples, Size size, BatchImages images) {
            this.images = images;
            width = size.width();
            at = new long
                    [examples.stream()
                            .flatMap(example -> example.images().stream())
                            .mapToInt(image -> image.grid().tokens())
                            .sum()];
            axes = at.length == 0 ? 1 : IMAGE_AXES;
            ids = new long[size.rows() * width];
            positions = new long[axes * ids.length];
            sequences = new long[ids.length];
            where = new long[Math.toIntExact(rows(supervisedTokens(examples)))];
            labels = new long[where.length];
            Arrays.fill(labels, FILLING);
        }

        SftBatch batch(PtNDManager owner, PtNDArray positions, PtNDArray sequences) {
            return new SftBatch(
                    longs(owner, ids, ids.length / width, width),
                    positions,
                    sequences,
                    longs(owner, where, where.length),
                    longs(owner, labels, labels.length),
                    longs(owner, at, at.length),
                    images);
        }

        PtNDArray positions(PtNDManager owner) {
            return longs(owner, positions, axes, ids.length / width, width);
        }

        void put(SftExample example, int b, int offset, int number) {
            int start = b * width + offset;
            int prompt = example.prompt().length;
            int response = example.response().length;
            System.arraycopy(example.prompt(), 0, ids, start, prompt);
            System.arraycopy(example.response(), 0, ids, start + prompt, response - 1);
            Arrays.fill(sequences, start, start + prompt + response - 1, number);
            place(example, start, prompt + response - 1);
            for (int i = 0; i < response; i++) {
                where[row] = start + prompt - 1L + i;
                labels[row++] = example.response()[i];
            }
        }

        private void place(SftExample example, int start, int length) {
            PromptImages places = PromptImageReader.places(example.prompt(), images.placeholder(), example.images());
            long[][] positionsOf = places.positions(0, length);
            for (int axis = 0; axis < axes; axis++) {
                System.arraycopy(positionsOf[axis], 0, positions, axis * ids.length + start, length);
            }
            for (int i = 0; i < places.grids().size(); i++) {
                for (int t = 0; t < places.grids().get(i).tokens(); t++) {
                    at[seen++] = start + (long) places.begins().get(i) + t;
                }
            }
        }
    }

    private static int roundUp(int value, int step) {
        return (value + step - 1) / step * step;
    }

    /** Returns the number of supervised tokens: all of the responses. */
    public static long supervisedTokens(List<SftExample> examples) {
        return examples.stream().mapToLong(example -> example.response().length).sum();
    }

    /** Supervised rows from {@code begin} to before {@code end}, with logits computed at once. */
    public record Piece(long begin, long end) {}

    /** Splits the supervised rows into pieces of {@code size}; the last has the rest. */
    public List<Piece> pieces(int size) {
        long rows = labels.getShape().get(0);
        return LongStream.iterate(0, begin -> begin < rows, begin -> begin + size)
                .mapToObj(begin -> new Piece(begin, Math.min(rows, begin + size)))
                .toList();
    }

    /**
     * Returns the number of rows with logits computed at once, so that logits stay small for any vocabulary. Next to frozen weights, logits take at
     * most one byte per weight, half of the weights in bfloat16.
     *
     * @param bytesEach of a logit, over all copies
     * @param learns whether the model's weights are trained
     */
    public static int logitRows(DecoderConfig config, int bytesEach, boolean learns) {
        long most = learns ? LOGITS : Math.max(FEW_LOGITS, Math.min(LOGITS, config.parameterCount()));
        return Math.max(ROW_STEP, Math.toIntExact(most / bytesEach / config.vocabularySize()));
    }

    /**
     * The packing of examples into rows: the longest first, each into the first row with room for it.
     *
     * @param places one per example, in their order
     */
    record Packing(List<Place> places, int rows) {
        /**
         * The place of an example.
         *
         * @param row from 0
         * @param offset of its first token in the row
         * @param number of the sequence in its row, from 1
         */
        record Place(int row, int offset, int number) {}

        /** @param width tokens of a row; the last token of an example needs no place */
        static Packing of(List<SftExample> examples, int width) {
            Place[] places = new Place[examples.size()];
            List<Integer> filled = new ArrayList<>();
            List<Integer> numbers = new ArrayList<>();
            List<Integer> order = IntStream.range(0, examples.size())
                    .boxed()
                    .sorted(Comparator.comparingInt(
                            (Integer i) -> -examples.get(i).length()))
                    .toList();
            for (int i : order) {
                int length = examples.get(i).length() - 1;
                int row = 0;
                while (row < filled.size() && filled.get(row) + length > width) {
                    row++;
                }
                if (row == filled.size()) {
                    filled.add(0);
                    numbers.add(0);
                }
                numbers.set(row, numbers.get(row) + 1);
                places[i] = new Place(row, filled.get(row), numbers.get(row));
                filled.set(row, filled.get(row) + length);
            }
            return new Packing(List.copyOf(Arrays.asList(places)), filled.size());
        }
    }
}
