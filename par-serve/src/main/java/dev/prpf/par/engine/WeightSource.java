package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.List;

/** Reads weights by Hugging Face name, part by part, so that a model is made layer by layer. */
@FunctionalInterface
public interface WeightSource {
    /**
     * Returns the named weights, in the order of the names.
     *
     * @param scratch manager of temporary arrays, closed after this part
     */
    PtNDArray[] read(PtNDManager scratch, List<String> names);
}
