package dev.prpf.par.vision;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import dev.prpf.par.engine.CausalLm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Positions, rotation angles and windows of the n patches of some images: all inputs of the vision encoder except the patches' values. They are
 * each patch's neighbours among the learned positions (bilinear, the corners aligned), the rotation angles of its row and column, and the
 * windows. Everything is in the order of the windows ({@link WindowOrder}); the patches' values come in the order of the image processor.
 */
final class PatchPlaces {
    private static final int TAPS = 4;
    private static final int MERGED = VisionConfig.MERGE * VisionConfig.MERGE;

    private final VisionConfig config;
    private final int patches;
    private final long[] lengths;
    private final long[] order;
    private final List<WindowOrder.Group> windows = new ArrayList<>();
    private final long[] taps;
    private final float[] shares;
    private final float[] cosines;
    private final float[] sines;

    PatchPlaces(VisionConfig config, List<VisionPatches> images) {
        this.config = config;
        lengths = images.stream().mapToLong(VisionPatches::patches).toArray();
        patches = Math.toIntExact(Arrays.stream(lengths).sum());
        order = new long[patches / MERGED];
        taps = new long[config.family().learnedPositions() ? TAPS * patches : 0];
        shares = new float[taps.length];
        cosines = new float[patches * config.headDim()];
        sines = new float[cosines.length];
        float[] frequencies = frequencies();
        int first = 0;
        for (VisionPatches image : images) {
            fill(first, image, frequencies);
            first += image.patches();
        }
    }

    private void fill(int first, VisionPatches image, float[] frequencies) {
        int blocks = image.columns() / VisionConfig.MERGE;
        WindowOrder windowed = WindowOrder.of(image.rows() / VisionConfig.MERGE, blocks, config.windowSide());
        windows.addAll(windowed.groups());
        for (int i = 0; i < image.patches(); i++) {
            int block = windowed.tokens()[i / MERGED];
            int within = i % MERGED;
            int row = block / blocks * VisionConfig.MERGE + within / VisionConfig.MERGE;
            int column = block % blocks * VisionConfig.MERGE + within % VisionConfig.MERGE;
            order[(first + i) / MERGED] = (long) first / MERGED + block;
            if (taps.length > 0) {
                place(first + i, source(row, image.rows()), source(column, image.columns()));
            }
            turn(first + i, row, column, frequencies);
        }
    }

    /** Computes the frequencies in float32, as transformers does. */
    private float[] frequencies() {
        int pairs = config.headDim() / 2;
        float[] frequencies = new float[pairs / 2];
        for (int i = 0; i < frequencies.length; i++) {
            frequencies[i] = (float) (1 / Math.pow(config.ropeTheta(), 2.0 * i / pairs));
        }
        return frequencies;
    }

    /** Returns a patch's position on the side of the learned grid. */
    private float source(int index, int size) {
        return (float) index * (config.side() - 1) / Math.max(size - 1, 1);
    }

    private void place(int patch, float row, float column) {
        int side = config.side();
        for (int tap = 0; tap < TAPS; tap++) {
            int below = tap / 2;
            int right = tap % 2;
            long atRow = Math.min((int) row + below, side - 1);
            long atColumn = Math.min((int) column + right, side - 1);
            taps[tap * patches + patch] = atRow * side + atColumn;
            shares[tap * patches + patch] = share(row, below) * share(column, right);
        }
    }

    private static float share(float source, int next) {
        float rest = source - (int) source;
        return next == 1 ? rest : 1 - rest;
    }

    /** Rotates a patch: a head's first half has rows, then columns, and its second half the same. */
    private void turn(int patch, int row, int column, float[] frequencies) {
        int half = config.headDim() / 2;
        int at = patch * config.headDim();
        for (int i = 0; i < half; i++) {
            int pair = i % frequencies.length;
            float angle = (i < frequencies.length ? row : column) * frequencies[pair];
            cosines[at + i] = cosines[at + half + i] = (float) Math.cos(angle);
            sines[at + half + i] = (float) Math.sin(angle);
            sines[at + i] = -sines[at + half + i];
        }
    }

    int patches() {
        return patches;
    }

    long[] lengths() {
        return lengths.clone();
    }

    /** Returns the tokens in the order of their windows (n / 4); empty if no block has windows. */
    PtNDArray order(PtNDManager owner) {
        boolean windowed = config.windowSize() > 0;
        return CausalLm.longs(owner, windowed ? order : new long[0], windowed ? order.length : 0);
    }

    /** Returns the number of patches in each group of equal windows. */
    long[] groups() {
        return windows.stream()
                .mapToLong(group -> (long) MERGED * group.size() * group.count())
                .toArray();
    }

    long[] windows() {
        return windows.stream().mapToLong(group -> (long) MERGED * group.size()).toArray();
    }

    /** Returns 1 for each block that attends within windows, else 0. */
    long[] windowed() {
        return IntStream.range(0, config.depth())
                .mapToLong(block -> config.windowed(block) ? 1 : 0)
                .toArray();
    }

    /** Returns the neighbours, (4, n), or (0, n) without learned positions. */
    PtNDArray taps(PtNDManager owner) {
        return CausalLm.longs(owner, taps, taps.length / patches, patches);
    }

    /** Returns the neighbours' weights, of the shape of {@link #taps}. */
    PtNDArray shares(PtNDManager owner) {
        return (PtNDArray) owner.create(shares, new Shape(shares.length / patches, patches));
    }

    /** Returns the cosines, (n, 1, 1, H). */
    PtNDArray cosines(PtNDManager owner) {
        return (PtNDArray) owner.create(cosines, new Shape(patches, 1, 1, config.headDim()));
    }

    /** Returns the sines, (n, 1, 1, H), the first half negated. */
    PtNDArray sines(PtNDManager owner) {
        return (PtNDArray) owner.create(sines, new Shape(patches, 1, 1, config.headDim()));
    }

    /**
     * The tokens of an image in the order of its attention windows. Windows of equal size are adjacent, so that a group of them is computed at
     * once. Windows at the right and the lower edge may be smaller: there are at most four sizes.
     *
     * @param tokens the image's tokens, counted row by row
     * @param groups the windows by size
     */
    record WindowOrder(int[] tokens, List<Group> groups) {
        /**
         * Windows of one size.
         *
         * @param size tokens of a window
         */
        record Group(int size, int count) {}

        /**
         * Orders the tokens of an image.
         *
         * @param rows tokens from top to bottom
         * @param columns tokens from left to right
         * @param side tokens along a side of a window; 0 for one window that holds the image
         */
        static WindowOrder of(int rows, int columns, int side) {
            if (side == 0) {
                int all = rows * columns;
                return new WindowOrder(IntStream.range(0, all).toArray(), List.of(new Group(all, 1)));
            }
            Map<Integer, List<int[]>> bySize = new LinkedHashMap<>();
            for (int top = 0; top < rows; top += side) {
                for (int left = 0; left < columns; left += side) {
                    int[] window =
                            window(top, Math.min(rows, top + side), left, Math.min(columns, left + side), columns);
                    bySize.computeIfAbsent(window.length, size -> new ArrayList<>())
                            .add(window);
                }
            }
            return new WindowOrder(
                    bySize.values().stream()
                            .flatMap(List::stream)
                            .flatMapToInt(Arrays::stream)
                            .toArray(),
                    bySize.entrySet().stream()
                            .map(windows -> new Group(
                                    windows.getKey(), windows.getValue().size()))
                            .toList());
        }

        private static int[] window(int top, int bottom, int left, int right, int columns) {
            int width = right - left;
            return IntStream.range(0, (bottom - top) * width)
                    .map(i -> (top + i / width) * columns + left + i % width)
                    .toArray();
        }

        double pairs() {
            return groups.stream()
                    .mapToDouble(group -> (double) group.size() * group.size() * group.count())
                    .sum();
        }
    }
}
