package dev.prpf.eval.run;

import dev.prpf.base.config.Rule;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.LocalReasoner.Settings;
import dev.prpf.par.cascade.RemoteReasoner.RemoteSettings;
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
        @Nullable Settings local,
        @Nullable RemoteSettings remote) {
    public RunSettings {
        if ((local == null) == (remote == null)) {
            throw new IllegalArgumentException("a run has one reasoner, in this process or on a server");
        }
        Rule.require(topK >= 1, "top-k", topK, "at least 1");
    }

    public Cascade.Settings cascade() {
        return new Cascade.Settings(gate, compress, topK, threshold);
    }
}
