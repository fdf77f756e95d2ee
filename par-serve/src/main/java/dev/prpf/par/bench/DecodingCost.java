package dev.prpf.par.bench;

import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.engine.DeltaNetShape;

/** The minimum operations and bytes for a decoder's shape, independent of the implementation. */
final class DecodingCost {
    private final DecoderConfig config;
    private final DecoderFlops flops;

    DecodingCost(DecoderConfig config) {
        this.config = config;
        flops = new DecoderFlops(config);
    }

    /** Returns the operations of prefill: every position through the layers, the last one through the head. */
    double prefillFlop(int batch, int tokens) {
        return batch * flops.of(0, tokens, 1);
    }

    /** Returns the bytes that one step of a batch reads (and for delta-net states also writes): all matrices once, and each row's cache. */
    double stepBytes(CausalLm decoder, int batch, double remembered) {
        AttentionShape attention = config.attention();
        double keysAndValues = 2.0 * attention.keyValueHeads() * attention.headDim() * remembered * fullLayers();
        DeltaNetShape delta = config.deltaNet();
        double states = delta == null
                ? 0
                : 2.0 * delta.valueHeads() * delta.keyDim() * delta.valueDim() * (config.layers() - fullLayers());
        return decoder.shape().precision().weightBytes() * (double) flops.matrixWeights()
                + batch * (decoder.shape().activationBytes() * keysAndValues + Float.BYTES * states);
    }

    private long fullLayers() {
        return config.mixers().stream().filter(AttentionShape.class::isInstance).count();
    }
}
