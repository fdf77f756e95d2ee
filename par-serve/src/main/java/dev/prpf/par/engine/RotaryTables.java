package dev.prpf.par.engine;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Computes the cosines and sines of the rotary angles, (positions, R) each. Position p turns the pair (i, i + R/2) by p * theta^(-2i/R), or as {@link
 * RotaryScaling} stretches it. The sines of the first half are negated, as the TorchScript text expects. The tables grow with the longest sequence so
 * far, because models have many more positions than most uses.
 */
public final class RotaryTables {
    private static final int FIRST = 512;

    private final DecoderConfig config;
    private final PtNDManager owner;
    private final PtNDArray axes;
    private Pair pair;

    /**
     * The tables of all layers.
     *
     * @param cosines (positions, R) each
     * @param sines (positions, R) each, the first half negated
     * @param axes the position axis that turns each of R values; (R)
     */
    public record Pair(PtNDArray[] cosines, PtNDArray[] sines, PtNDArray axes) {}

    /** Creates the tables of a model; they live as long as the manager. */
    public RotaryTables(DecoderConfig config, PtNDManager owner) {
        this.config = config;
        this.owner = owner;
        axes = (PtNDArray) owner.create(config.attention().axes(config.family().interleavedAxes()));
        pair = tables(Math.min(FIRST, config.maxPositions()));
    }

    /** Returns tables of at least {@code positions} rows, or as many as the model has positions. */
    public synchronized Pair upTo(int positions) {
        long have = pair.cosines()[0].getShape().get(0);
        if (Math.min(positions, config.maxPositions()) > have) {
            // the smaller ones stay until the manager closes: another thread may be using them
            pair = tables((int) Math.min(config.maxPositions(), Math.max(positions, 2 * have)));
        }
        return pair;
    }

    private Pair tables(int positions) {
        List<AttentionShape.Rotation> rotations = config.rotations();
        PtNDArray[] cosines = new PtNDArray[rotations.size()];
        PtNDArray[] sines = new PtNDArray[rotations.size()];
        for (int i = 0; i < cosines.length; i++) {
            fill(rotations.get(i), positions, i, cosines, sines);
        }
        return new Pair(cosines, sines, axes);
    }

    private void fill(
            AttentionShape.Rotation rotation, int positions, int place, PtNDArray[] cosines, PtNDArray[] sines) {
        int width = rotation.width();
        float[] cosine = new float[Math.multiplyExact(positions, width)];
        float[] sine = new float[cosine.length];
        float[] frequencies = rotation.scaling().frequencies(rotation.theta(), width);
        float factor = (float) rotation.scaling().attentionFactor();
        for (int i = 0; i < width / 2; i++) {
            for (int p = 0; p < positions; p++) {
                // float32, as transformers computes it: the golden logits see the difference at far positions
                float angle = p * frequencies[i];
                int low = p * width + i;
                int high = low + width / 2;
                cosine[low] = cosine[high] = factor * (float) Math.cos(angle);
                sine[high] = factor * (float) Math.sin(angle);
                sine[low] = -sine[high];
            }
        }
        Shape shape = new Shape(positions, width);
        cosines[place] = (PtNDArray) owner.create(cosine, shape);
        sines[place] = (PtNDArray) owner.create(sine, shape);
    }

    /** Returns 0, 1, …, length - 1. */
    public static long[] positions(int length) {
        return LongStream.range(0, length).toArray();
    }
}
