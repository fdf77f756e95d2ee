package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.List;

/** Weights by their Hugging Face names, read part by part: a model is made from one layer's at a time. */
@FunctionalInterface
public interface WeightSource {
    /**
     * Returns some weights in the order of their names.
     *
     * @param scratch owns arrays that are made for this call; it closes once the part is made
     */
    PtNDArray[] read(PtNDManager scratch, List<String> names);
}
