package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A part of a model: its parameters under their Hugging Face names; owns their memory. */
public abstract class NamedWeights implements AutoCloseable, WeightSource {
    private final PtNDManager manager;
    private final Map<String, PtNDArray> arrays = new LinkedHashMap<>();

    protected NamedWeights(PtNDManager manager) {
        this.manager = manager;
    }

    /** Adds an array, which {@link #manager} owns; closes an earlier one of that name. */
    public void put(String name, PtNDArray array) {
        PtNDArray before = arrays.put(name, array);
        if (before != null) {
            before.close();
        }
    }

    /** Returns the manager; attach arrays that should live as long as the weights. */
    public PtNDManager manager() {
        return manager;
    }

    /** Returns the arrays by name; this object closes them. */
    public Map<String, PtNDArray> arrays() {
        return Collections.unmodifiableMap(arrays);
    }

    /** Draws parameters with libtorch for measurements of speed: fast, and without a seed. */
    protected void draw(Map<String, long[]> shapes, double range) {
        shapes.forEach((name, shape) ->
                put(name, Script.decoder().differentiable(manager, "normal", shape, range, TorchRuntime.anchor())));
    }

    /** Returns the arrays of some names, in their order. */
    protected PtNDArray[] list(Collection<String> names) {
        return names.stream()
                .map(name -> Objects.requireNonNull(arrays.get(name), name))
                .toArray(PtNDArray[]::new);
    }

    @Override
    public PtNDArray[] read(PtNDManager scratch, List<String> names) {
        return list(names);
    }

    @Override
    public void close() {
        manager.close();
    }
}
