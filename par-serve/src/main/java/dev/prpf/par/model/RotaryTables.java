package dev.prpf.par.model;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;

/**
 * Cosines and sines of the rotary position angles, (positions, H) each: position p turns the pair (i, i + H/2) by p * theta^(-2i/H). The
 * sines of the first half are negated, as the TorchScript text expects.
 */
public final class RotaryTables {
    private final PtNDArray cosines;
    private final PtNDArray sines;

    /** Tables for every position of a model; they live as long as the manager. */
    public RotaryTables(DecoderConfig config, PtNDManager owner) {
        int positions = config.maxPositions();
        int width = config.headDim();
        float[] cosine = new float[positions * width];
        float[] sine = new float[positions * width];
        for (int i = 0; i < width / 2; i++) {
            // float32, as transformers computes it: the golden logits see the difference at far positions
            float frequency = (float) (1.0 / Math.pow(config.ropeTheta(), 2.0 * i / width));
            for (int p = 0; p < positions; p++) {
                float angle = p * frequency;
                int low = p * width + i;
                int high = low + width / 2;
                cosine[low] = cosine[high] = (float) Math.cos(angle);
                sine[high] = (float) Math.sin(angle);
                sine[low] = -sine[high];
            }
        }
        Shape shape = new Shape(positions, width);
        cosines = (PtNDArray) owner.create(cosine, shape);
        sines = (PtNDArray) owner.create(sine, shape);
    }

    public PtNDArray cosines() {
        return cosines;
    }

    public PtNDArray sines() {
        return sines;
    }

    /** 0, 1, …, length - 1. */
    public static long[] positions(int length) {
        long[] positions = new long[length];
        for (int i = 0; i < length; i++) {
            positions[i] = i;
        }
        return positions;
    }
}
