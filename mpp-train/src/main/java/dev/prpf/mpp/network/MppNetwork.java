package dev.prpf.mpp.network;

import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.network.host.ParameterStore;
import dev.prpf.mpp.network.host.WorkerPool;
import java.util.Arrays;

/** The perceiver's network for inference, on the processor in every build and without ND4J. Not for use by two threads at once. */
public final class MppNetwork implements AutoCloseable {
    private final ParameterStore parameters;
    private final HostEngine engine;

    /**
     * Makes a network on {@link WorkerPool#defaultThreads()} threads; results for other numbers of threads agree up to rounding.
     *
     * @param parameters shared with streams, not copied
     */
    public MppNetwork(ParameterStore parameters) {
        this.parameters = parameters;
        this.engine = new HostEngine(parameters, WorkerPool.defaultThreads());
    }

    public NetworkShape shape() {
        return parameters.shape();
    }

    /** Number of trainable values. */
    public int length() {
        return parameters.length();
    }

    /** Returns the trained parameters, which streams may share. */
    public ParameterStore parameters() {
        return parameters;
    }

    /**
     * Logits of the batch's samples, without dropout (before the sigmoids of PRPF eq. 7 and 8): a row a sample, the trigger's first, then
     * the scenarios', (n, 1 + S).
     */
    public double[][] logits(FeatureBatch batch) {
        return Arrays.copyOf(engine.infer(batch), batch.samples().size());
    }

    @Override
    public void close() {
        engine.close();
    }
}
