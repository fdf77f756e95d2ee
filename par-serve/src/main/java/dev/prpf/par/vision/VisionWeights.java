package dev.prpf.par.vision;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.NamedWeights;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import java.util.List;

/** The parameters of a vision encoder. */
public final class VisionWeights extends NamedWeights {
    private static final double DRAWN = 0.02;

    private final VisionConfig config;
    private final PtNDArray nothing;

    public VisionWeights(VisionConfig config, PtNDManager manager) {
        super(manager);
        this.config = config;
        nothing = Tensors.create(manager, new long[] {0}, new float[0]);
    }

    /** Draws weights with libtorch for measurements of speed: fast, and without a seed. */
    public static VisionWeights drawn(VisionConfig config) {
        VisionWeights weights = new VisionWeights(config, TorchRuntime.newManager());
        weights.draw(config.parameterShapes(), DRAWN);
        return weights;
    }

    public VisionConfig config() {
        return config;
    }

    /** Returns the weights in the order of {@link VisionConfig#slots()}, for the TorchScript text; absent parameters are empty arrays. */
    public PtNDArray[] plain() {
        return config.slots().entrySet().stream()
                .map(slot -> slot.getValue().length == 0 ? nothing : list(List.of(slot.getKey()))[0])
                .toArray(PtNDArray[]::new);
    }
}
