package dev.prpf.data.encode;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A model that is loaded when it is first needed.
 *
 * @param <M> the model
 */
final class Lazy<M extends AutoCloseable> implements AutoCloseable {
    private final Supplier<M> loader;
    private @Nullable M model;

    Lazy(Supplier<M> loader) {
        this.loader = loader;
    }

    synchronized M get() {
        if (model == null) {
            model = loader.get();
        }
        return model;
    }

    /** The model if it was loaded, else null. */
    synchronized @Nullable M loaded() {
        return model;
    }

    @Override
    public synchronized void close() {
        if (model != null) {
            try {
                model.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("a model cannot be closed", e);
            }
        }
    }
}
