package dev.prpf.eval.run;

import dev.prpf.par.model.Precision;

/**
 * What decides the predictions beside data and models; kept as {@code config.resolved.yaml}, and a run is only resumed with the same.
 *
 * @param gate whether the gate is on
 * @param compress whether the pool is compressed
 * @param topK scenarios a compressed pool holds
 * @param threshold τ; 0 where the gate is off
 * @param maxNew tokens of a response at most
 * @param batchSize prompts decoded together
 * @param dtype of the reasoner's computation
 * @param constrained whether responses are kept to the grammar and the candidates
 */
public record RunSettings(
        boolean gate,
        boolean compress,
        int topK,
        double threshold,
        int maxNew,
        int batchSize,
        Precision dtype,
        boolean constrained) {
    public RunSettings {
        if (topK < 1) {
            throw new IllegalArgumentException("top-k = " + topK + ", must be at least 1");
        }
        if (maxNew < 1) {
            throw new IllegalArgumentException("max-new = " + maxNew + ", must be at least 1");
        }
        if (batchSize < 1) {
            throw new IllegalArgumentException("batch-size = " + batchSize + ", must be at least 1");
        }
    }
}
