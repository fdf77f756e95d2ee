package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.lora.LoraAdapters;
import dev.prpf.par.model.Decoder;
import dev.prpf.par.model.DecoderConfig;
import dev.prpf.par.model.DecoderWeights;
import dev.prpf.par.model.Precision;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
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

    /**
     * The same for one layer, as that of a decoder of no other.
     *
     * @param row anything (1, D) in the place of embedding and head
     * @param norm anything (D) in the place of the final norm
     */
    Object[] layerArguments(int layer, PtNDArray row, PtNDArray norm) {
        List<PtNDArray> plain = new ArrayList<>(List.of(row));
        plain.addAll(Arrays.asList(weights.layer(layer)));
        plain.addAll(List.of(norm, row));
        PtNDArray[] w = plain.toArray(PtNDArray[]::new);
        if (adapters == null) {
            return new Object[] {w, NO_PLACES, NO_ARRAYS, NO_ARRAYS, 0.0};
        }
        int before = layer * weights.slots();
        long[] places = adapters.places(weights);
        int[] own = IntStream.range(0, places.length)
                .filter(i -> places[i] > before && places[i] <= before + weights.slots())
                .toArray();
        PtNDArray[] a = adapters.a();
        PtNDArray[] b = adapters.b();
        return new Object[] {
            w,
            Arrays.stream(own).mapToLong(i -> places[i] - before).toArray(),
            Arrays.stream(own).mapToObj(i -> a[i]).toArray(PtNDArray[]::new),
            Arrays.stream(own).mapToObj(i -> b[i]).toArray(PtNDArray[]::new),
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
