package dev.prpf.mpp.perceive;

import dev.prpf.mpp.network.MppNetwork.NamedArray;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.host.HostStream;
import dev.prpf.mpp.network.host.ParameterStore;
import dev.prpf.mpp.network.host.WorkerPool;
import java.util.Map;

/** A trained network's parameters for streams. Immutable: streams and threads share it. */
public record StreamingNetwork(NetworkShape shape, ParameterStore parameters, int threads) {
    /** Every trainable array of a network, on as many threads as {@link WorkerPool#defaultThreads()} says. */
    public StreamingNetwork(NetworkShape shape, Map<String, NamedArray> trained) {
        this(shape, trained, WorkerPool.defaultThreads());
    }

    /** @param threads that share an answer's work */
    public StreamingNetwork(NetworkShape shape, Map<String, NamedArray> trained, int threads) {
        this(shape, new ParameterStore(shape), threads);
        parameters.load(name -> {
            NamedArray array = trained.get(name);
            if (array == null) {
                throw new IllegalArgumentException("no array " + name + " among " + trained.keySet());
            }
            return array.values();
        });
    }

    /** An empty stream. */
    public HostStream newStream() {
        return new HostStream(shape, parameters, threads);
    }
}
