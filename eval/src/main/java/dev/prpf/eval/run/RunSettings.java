package dev.prpf.eval.run;

import dev.prpf.par.cascade.RemoteSettings;
import dev.prpf.par.engine.Precision;
import org.jspecify.annotations.Nullable;

/**
 * What decides the predictions beside data and models; kept as {@code config.resolved.yaml}, and a run is only resumed with the same.
 *
 * @param gate whether the gate is on
 * @param compress whether the pool is compressed
 * @param topK scenarios a compressed pool holds
 * @param threshold τ; 0 where the gate is off
 * @param local how a reasoner in this process answers, or null
 * @param remote how a reasoner on a server answers, or null; one of the two is there
 */
public record RunSettings(
        boolean gate,
        boolean compress,
        int topK,
        double threshold,
        @Nullable Local local,
        @Nullable RemoteSettings remote) {
    /**
     * Of a reasoner in this process.
     *
     * @param maxNew tokens of a response at most
     * @param batchSize prompts decoded together
     * @param dtype of its computation
     * @param constrained whether responses are kept to the grammar and the candidates
     */
    public record Local(int maxNew, int batchSize, Precision dtype, boolean constrained) {
        public Local {
            if (maxNew < 1) {
                throw new IllegalArgumentException("max-new = " + maxNew + ", must be at least 1");
            }
            if (batchSize < 1) {
                throw new IllegalArgumentException("batch-size = " + batchSize + ", must be at least 1");
            }
        }
    }

    public RunSettings {
        if ((local == null) == (remote == null)) {
            throw new IllegalArgumentException("a run has one reasoner, in this process or on a server");
        }
        if (topK < 1) {
            throw new IllegalArgumentException("top-k = " + topK + ", must be at least 1");
        }
    }
}
