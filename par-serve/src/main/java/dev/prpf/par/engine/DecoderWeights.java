package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;

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

    /** Returns the weights in the order of the TorchScript text; a tied head is the embedding again. */
    public PtNDArray[] plain() {
        return list(new DecoderParameters(config).places());
    }

    /** Returns the first index of a layer's weights in {@link #plain()}; for one past the last layer, their end. */
    public int begin(int layer) {
        return new DecoderParameters(config).begin(layer);
    }
}
