package dev.prpf.par.vision;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TorchRuntime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A vision tower's parameters under their Hugging Face names; owns their memory. */
public final class VisionWeights implements AutoCloseable {
    private static final double DRAWN = 0.02;

    private final VisionConfig config;
    private final PtNDManager manager;
    private final Map<String, PtNDArray> arrays = new LinkedHashMap<>();

    public VisionWeights(VisionConfig config, PtNDManager manager) {
        this.config = config;
        this.manager = manager;
    }

    /** Weights that libtorch draws, for measurements of speed: fast, and of no particular seed. */
    public static VisionWeights drawn(VisionConfig config) {
        VisionWeights weights = new VisionWeights(config, TorchRuntime.newManager());
        config.parameterShapes()
                .forEach((name, shape) -> weights.put(
                        name,
                        Script.decoder()
                                .differentiable(weights.manager, "normal", shape, DRAWN, TorchRuntime.anchor())));
        return weights;
    }

    public void put(String name, PtNDArray array) {
        arrays.put(name, array);
    }

    public VisionConfig config() {
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

    /** The list of weights that the TorchScript text reads, in the order of {@link VisionConfig#parameterShapes()}. */
    public PtNDArray[] plain() {
        return config.parameterShapes().keySet().stream()
                .map(name -> Objects.requireNonNull(arrays.get(name), name))
                .toArray(PtNDArray[]::new);
    }

    @Override
    public void close() {
        manager.close();
    }
}
