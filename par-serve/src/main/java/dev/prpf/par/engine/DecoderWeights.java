package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.Map;

/** A decoder's parameters, in the order of {@link DecoderConfig#parameterShapes()}. */
public final class DecoderWeights extends NamedWeights {
    private final DecoderConfig config;

    public DecoderWeights(DecoderConfig config, PtNDManager manager) {
        super(manager);
        this.config = config;
    }

    public DecoderConfig config() {
        return config;
    }

    /** The list of weights that the TorchScript text reads; a tied head is the embedding again. */
    public PtNDArray[] plain() {
        return list(new DecoderParameters(config).places());
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
        arrays().forEach((name, array) -> changed.put(name, others.getOrDefault(name, array)));
        return changed;
    }
}
