package dev.prpf.par.bench;

import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DeltaNetShape;
import java.util.Arrays;

/** Operations and bytes that a decoder's shape makes necessary, however they are carried out. */
final class DecodingCost {
    private final DecoderConfig config;
    private final long head;
    private final long layers;

    DecodingCost(DecoderConfig config) {
        this.config = config;
        head = Math.multiplyExact((long) config.vocabularySize(), config.hiddenSize());
        long matrices = config.parameterShapes().values().stream()
                .filter(shape -> shape.length == 2)
                .mapToLong(shape -> Arrays.stream(shape).reduce(1, Math::multiplyExact))
                .sum();
        layers = matrices - (config.tiedEmbeddings() ? head : 2 * head);
    }

    /** Operations of reading prompts: every position through the layers, the last one through the head; attention sees half of T * T. */
    double prefillFlop(int batch, int tokens) {
        AttentionShape attention = config.attention();
        double scores = 2.0 * attention.heads() * attention.headDim() * tokens * tokens * fullLayers();
        return batch * (2.0 * layers * tokens + 2.0 * head + scores);
    }

    /** Bytes that one step of a batch reads (and of delta-net states also writes): all matrices once, what each row remembers. */
    double stepBytes(CausalLm decoder, int batch, double remembered) {
        AttentionShape attention = config.attention();
        double keysAndValues = 2.0 * attention.keyValueHeads() * attention.headDim() * remembered * fullLayers();
        DeltaNetShape delta = config.deltaNet();
        double states = delta == null
                ? 0
                : 2.0 * delta.valueHeads() * delta.keyDim() * delta.valueDim() * (config.layers() - fullLayers());
        return decoder.shape().precision().weightBytes() * (double) (layers + head)
                + batch * (decoder.shape().activationBytes() * keysAndValues + Float.BYTES * states);
    }

    private long fullLayers() {
        return config.mixers().stream().filter(AttentionShape.class::isInstance).count();
    }
}
