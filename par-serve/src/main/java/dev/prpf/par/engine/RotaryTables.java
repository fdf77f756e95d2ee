package dev.prpf.par.engine;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.stream.LongStream;

/**
 * Cosines and sines of the rotary position angles, (positions, R) each: position p turns the pair (i, i + R/2) by p * theta^(-2i/R), or
 * as {@link RotaryScaling} stretches it. The sines of the first half are negated, as the TorchScript text expects. The tables grow with the longest sequence seen: a model's positions
 * may be many more than anybody uses.
 */
public final class RotaryTables {
    private static final int FIRST = 512;

    private final DecoderConfig config;
    private final PtNDManager owner;
    private Pair pair;

    /**
     * Both tables.
     *
     * @param cosines (positions, R)
     * @param sines (positions, R), the first half negated
     */
    public record Pair(PtNDArray cosines, PtNDArray sines) {}

    /** Tables of a model; they live as long as the manager. */
    public RotaryTables(DecoderConfig config, PtNDManager owner) {
        this.config = config;
        this.owner = owner;
        pair = tables(Math.min(FIRST, config.maxPositions()));
    }

    /** Tables of at least {@code positions} rows. */
    public synchronized Pair upTo(int positions) {
        long have = pair.cosines().getShape().get(0);
        if (positions > have) {
            // the smaller ones stay until the manager closes: another thread may be using them
            pair = tables((int) Math.min(config.maxPositions(), Math.max(positions, 2 * have)));
        }
        return pair;
    }

    private Pair tables(int positions) {
        int width = config.attention().rotaryDim();
        float[] cosine = new float[Math.multiplyExact(positions, width)];
        float[] sine = new float[cosine.length];
        AttentionShape attention = config.attention();
        float[] frequencies = attention.ropeScaling().frequencies(attention.ropeTheta(), width);
        float factor = (float) attention.ropeScaling().attentionFactor();
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
        return new Pair((PtNDArray) owner.create(cosine, shape), (PtNDArray) owner.create(sine, shape));
    }

    /** 0, 1, …, length - 1. */
    public static long[] positions(int length) {
        return LongStream.range(0, length).toArray();
    }
}
