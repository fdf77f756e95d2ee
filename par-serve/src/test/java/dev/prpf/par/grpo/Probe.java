package dev.prpf.par.grpo;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.engine.TorchRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A batch in float64 as plain arrays, and its loss with or without the gradient.
 *
 * @param now (B, T)
 * @param old (B, T)
 * @param reference (B, T) or null
 * @param mask (B, T)
 * @param entropies (B, T) or null
 * @param advantages (B)
 */
record Probe(
        double[][] now,
        double[][] old,
        double @Nullable [][] reference,
        double[][] mask,
        double @Nullable [][] entropies,
        double[] advantages) {

    /**
     * The output of a loss.
     *
     * @param loss the value
     * @param gradient with respect to now, (B, T)
     * @param metrics of the batch
     */
    record Result(double loss, double[][] gradient, GrpoMetrics metrics) {}

    private static PtNDArray array(PtNDManager owner, double[][] values) {
        int width = values[0].length;
        double[] flat = new double[values.length * width];
        for (int b = 0; b < values.length; b++) {
            System.arraycopy(values[b], 0, flat, b * width, width);
        }
        return (PtNDArray) owner.create(flat, new Shape(values.length, width));
    }

    Result run(GrpoSettings settings, double divisor) {
        try (PtNDManager owner = TorchRuntime.newManager()) {
            PtNDArray leaf = array(owner, now);
            leaf.setRequiresGradient(true);
            JniUtils.setGradMode(true);
            GrpoLoss.Part part = new GrpoLoss(settings)
                    .of(
                            owner,
                            new GrpoLoss.GrpoBatch(
                                    leaf,
                                    array(owner, old),
                                    reference == null ? null : array(owner, reference),
                                    array(owner, mask),
                                    null,
                                    (PtNDArray) owner.create(advantages),
                                    entropies == null ? null : array(owner, entropies)),
                            divisor);
            JniUtils.backward(part.loss(), (PtNDArray) owner.create(1.0), false, false);
            try (PtNDArray gradient = leaf.getGradient()) {
                return new Result(part.loss().getDouble(), rows(gradient.toDoubleArray()), part.metrics());
            }
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    private double[][] rows(double[] flat) {
        int width = now[0].length;
        double[][] rows = new double[now.length][width];
        for (int i = 0; i < flat.length; i++) {
            rows[i / width][i % width] = flat[i];
        }
        return rows;
    }

    /** How many tokens count. */
    long tokens() {
        long tokens = 0;
        for (double[] row : mask) {
            for (double one : row) {
                tokens += (long) one;
            }
        }
        return tokens;
    }

    /** Returns the divisor of a step with only this batch. */
    double divisor(GrpoSettings settings, int maxLength) {
        return settings.aggregation().divisor(now.length, tokens(), maxLength);
    }
}
