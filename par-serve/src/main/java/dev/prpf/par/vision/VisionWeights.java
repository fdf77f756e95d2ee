package dev.prpf.par.vision;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.NamedWeights;
import dev.prpf.par.engine.TorchRuntime;

/** A vision tower's parameters. */
public final class VisionWeights extends NamedWeights {
    private static final double DRAWN = 0.02;

    private final VisionConfig config;

    public VisionWeights(VisionConfig config, PtNDManager manager) {
        super(manager);
        this.config = config;
    }

    /** Weights that libtorch draws, for measurements of speed: fast, and of no particular seed. */
    public static VisionWeights drawn(VisionConfig config) {
        VisionWeights weights = new VisionWeights(config, TorchRuntime.newManager());
        weights.draw(config.parameterShapes(), DRAWN);
        return weights;
    }

    public VisionConfig config() {
        return config;
    }

    /** The list of weights that the TorchScript text reads, in the order of {@link VisionConfig#parameterShapes()}. */
    public PtNDArray[] plain() {
        return list(config.parameterShapes().keySet());
    }
}
