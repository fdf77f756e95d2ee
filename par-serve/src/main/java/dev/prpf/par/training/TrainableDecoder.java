package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.lora.LoraAdapters;
import dev.prpf.par.model.Decoder;
import dev.prpf.par.model.DecoderConfig;
import dev.prpf.par.model.DecoderWeights;
import dev.prpf.par.model.Precision;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A decoder in training: all of its weights learn, or adapters beside frozen ones do. Owns both. */
public final class TrainableDecoder implements AutoCloseable {
    private static final PtNDArray[] NO_ARRAYS = {};
    private static final long[] NO_PLACES = {};

    private final DecoderWeights weights;
    private final @Nullable LoraAdapters adapters;

    private TrainableDecoder(DecoderWeights weights, @Nullable LoraAdapters adapters) {
        this.weights = weights;
        this.adapters = adapters;
        parameters().values().forEach(array -> array.setRequiresGradient(true));
    }

    /** All weights learn; float32. */
    public static TrainableDecoder full(DecoderWeights weights) {
        return new TrainableDecoder(weights, null);
    }

    /** Adapters learn. */
    public static TrainableDecoder adapted(DecoderWeights frozen, LoraAdapters adapters) {
        return new TrainableDecoder(frozen, adapters);
    }

    DecoderConfig config() {
        return weights.config();
    }

    /** The weights, those under adapters as they were before. */
    DecoderWeights weights() {
        return weights;
    }

    @Nullable
    LoraAdapters adapters() {
        return adapters;
    }

    /** What learns, by name. */
    Map<String, PtNDArray> parameters() {
        return adapters == null ? weights.arrays() : adapters.arrays();
    }

    /** Owns what learns. */
    PtNDManager manager() {
        return adapters == null ? weights.manager() : adapters.manager();
    }

    /** What the script's methods ask for as {@code w, places, a, b, s}. */
    Object[] arguments() {
        return adapters == null
                ? new Object[] {weights.plain(), NO_PLACES, NO_ARRAYS, NO_ARRAYS, 0.0}
                : new Object[] {
                    weights.plain(),
                    adapters.places(weights),
                    adapters.a(),
                    adapters.b(),
                    adapters.settings().scale()
                };
    }

    /** A decoder that runs what has been learned so far; it stays as it is when learning goes on. */
    public Decoder decoder(Precision precision) {
        if (adapters == null) {
            return Decoder.of(weights, precision);
        }
        try (DecoderWeights merged = adapters.merged(weights)) {
            return Decoder.of(merged, precision);
        }
    }

    @Override
    public void close() {
        if (adapters != null) {
            adapters.close();
        }
        weights.close();
    }
}
