package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A decoder's parameters under their Hugging Face names, in the order of {@link DecoderConfig#parameterShapes()}; owns their memory.
 */
public final class DecoderWeights implements AutoCloseable {
    private final DecoderConfig config;
    private final PtNDManager manager;
    private final Map<String, PtNDArray> arrays = new LinkedHashMap<>();

    public DecoderWeights(DecoderConfig config, PtNDManager manager) {
        this.config = config;
        this.manager = manager;
    }

    public void put(String name, PtNDArray array) {
        arrays.put(name, array);
    }

    public DecoderConfig config() {
        return config;
    }

    /** Attach what should live as long as the weights. */
    public PtNDManager manager() {
        return manager;
    }

    /** Name to array; closing them is this object's business. */
    public Map<String, PtNDArray> arrays() {
        return Collections.unmodifiableMap(arrays);
    }

    /** The list of weights that the TorchScript text reads; a tied head is the embedding again. */
    public PtNDArray[] plain() {
        return new DecoderParameters(config)
                .places().stream()
                        .map(name -> Objects.requireNonNull(arrays.get(name), name))
                        .toArray(PtNDArray[]::new);
    }

    /** Where a layer's weights begin in {@link #plain()}; of one past the last layer, where they end. */
    public int begin(int layer) {
        return new DecoderParameters(config).begin(layer);
    }

    /** Where a parameter stands in {@link #plain()}; of a tied embedding the first place. */
    public int place(String name) {
        int place = new DecoderParameters(config).places().indexOf(name);
        if (place < 0) {
            throw new IllegalArgumentException("a " + config.family() + " decoder has no parameter " + name);
        }
        return place;
    }

    /**
     * The same weights with others in some places. Closing it frees only those.
     *
     * @param owner of the others
     * @param others by name
     */
    public DecoderWeights with(PtNDManager owner, Map<String, PtNDArray> others) {
        DecoderWeights changed = new DecoderWeights(config, owner);
        changed.arrays.putAll(arrays);
        changed.arrays.putAll(others);
        return changed;
    }

    @Override
    public void close() {
        manager.close();
    }
}
