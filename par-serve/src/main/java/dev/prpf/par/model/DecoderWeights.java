package dev.prpf.par.model;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A decoder's parameters under their Hugging Face names, in the order of {@link DecoderConfig#parameterShapes()}; owns their memory.
 */
public final class DecoderWeights implements AutoCloseable {
    private final DecoderConfig config;
    private final PtNDManager manager;
    private final Map<String, PtNDArray> arrays = new LinkedHashMap<>();

    DecoderWeights(DecoderConfig config, PtNDManager manager) {
        this.config = config;
        this.manager = manager;
    }

    void put(String name, PtNDArray array) {
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

    /** The list the TorchScript text calls plain: every parameter once, then the head, which may be the embedding again. */
    public PtNDArray[] plain() {
        List<PtNDArray> plain = new ArrayList<>(arrays.values());
        if (config.tiedEmbeddings()) {
            plain.add(plain.get(0));
        }
        return plain.toArray(new PtNDArray[0]);
    }

    @Override
    public void close() {
        manager.close();
    }
}
