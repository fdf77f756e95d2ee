package dev.prpf.spark;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;

/** Encoders and prompts of this process, shared by all tasks of the executor; each is loaded at its first use and never closed. */
final class ExecutorModels {
    private static final Map<Object, Object> LOADED = new HashMap<>();

    private ExecutorModels() {}

    /** Returns the object for a key, which its equals method identifies. */
    static synchronized <T> T of(Object key, Class<T> type, Supplier<T> loading) {
        return type.cast(LOADED.computeIfAbsent(key, first -> loading.get()));
    }

    /** Returns the cores of this executor; the machine may have more. */
    static int cores() {
        int processors = Runtime.getRuntime().availableProcessors();
        return Math.min(processors, SparkEnv.get().conf().getInt("spark.executor.cores", processors));
    }
}
