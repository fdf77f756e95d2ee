package dev.prpf.par.vision;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.data.encode.image.VisionPatches;
import dev.prpf.par.engine.CausalLm;
import java.util.Arrays;
import java.util.List;

/**
 * What the tower reads beside the patches' values, for the n patches of some pictures, one picture after the other: between which learned
 * positions each patch lies (bilinear, the corners aligned) and by which angles its row and its column turn the heads.
 */
final class PatchPlaces {
    private static final int TAPS = 4;

    private final VisionConfig config;
    private final int patches;
    private final long[] lengths;
    private final long[] taps;
    private final float[] shares;
    private final float[] cosines;
    private final float[] sines;

    PatchPlaces(VisionConfig config, List<VisionPatches> pictures) {
        this.config = config;
        lengths = pictures.stream().mapToLong(VisionPatches::patches).toArray();
        patches = Math.toIntExact(Arrays.stream(lengths).sum());
        taps = new long[TAPS * patches];
        shares = new float[TAPS * patches];
        cosines = new float[patches * config.headDim()];
        sines = new float[cosines.length];
        float[] frequencies = frequencies();
        int first = 0;
        for (VisionPatches picture : pictures) {
            for (int i = 0; i < picture.patches(); i++) {
                int block = i / (VisionConfig.MERGE * VisionConfig.MERGE);
                int within = i % (VisionConfig.MERGE * VisionConfig.MERGE);
                int blocks = picture.columns() / VisionConfig.MERGE;
                int row = block / blocks * VisionConfig.MERGE + within / VisionConfig.MERGE;
                int column = block % blocks * VisionConfig.MERGE + within % VisionConfig.MERGE;
                place(first + i, source(row, picture.rows()), source(column, picture.columns()));
                turn(first + i, row, column, frequencies);
            }
            first += picture.patches();
        }
    }

    /** As transformers computes them, in float32. */
    private float[] frequencies() {
        int pairs = config.headDim() / 2;
        float[] frequencies = new float[pairs / 2];
        for (int i = 0; i < frequencies.length; i++) {
            frequencies[i] = (float) (1 / Math.pow(config.ropeTheta(), 2.0 * i / pairs));
        }
        return frequencies;
    }

    /** Where a patch lies on the side of the learned grid. */
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

    /** A head's first half is rows, then columns, and again in its second half. */
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

    /** n. */
    int patches() {
        return patches;
    }

    /** Patches of each picture. */
    long[] lengths() {
        return lengths.clone();
    }

    /** (4, n). */
    PtNDArray taps(PtNDManager owner) {
        return CausalLm.longs(owner, taps, TAPS, patches);
    }

    /** (4, n). */
    PtNDArray shares(PtNDManager owner) {
        return (PtNDArray) owner.create(shares, new Shape(TAPS, patches));
    }

    /** (n, 1, 1, H). */
    PtNDArray cosines(PtNDManager owner) {
        return (PtNDArray) owner.create(cosines, new Shape(patches, 1, 1, config.headDim()));
    }

    /** (n, 1, 1, H), the first half negated. */
    PtNDArray sines(PtNDManager owner) {
        return (PtNDArray) owner.create(sines, new Shape(patches, 1, 1, config.headDim()));
    }
}
