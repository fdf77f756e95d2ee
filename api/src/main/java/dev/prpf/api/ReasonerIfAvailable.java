package dev.prpf.api;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.par.cascade.LoadedCascade.ReasonerSource;
import dev.prpf.par.cascade.Reasoner;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A reasoner that was not loaded: refuses each request. */
record ReasonerIfAvailable(String id, Supplier<RuntimeException> refusal) implements Reasoner {
    private static final Logger LOG = LoggerFactory.getLogger(ReasonerIfAvailable.class);

    /** Returns a source that opens no reasoner. */
    static ReasonerSource none(String folder) {
        String message = folder + ": was opened by loadGate, without its reasoner; open it with load to recommend";
        return (catalog, texts) -> new ReasonerIfAvailable("none", () -> new UnavailableException(message));
    }

    /** Returns a source of the same reasoner; a missing library is logged, and then reported by each request. */
    static ReasonerSource of(ReasonerSource own) {
        return (catalog, texts) -> {
            try {
                return own.open(catalog, texts);
            } catch (UnavailableException e) {
                LOG.warn("only the gate works: {}", e.getMessage());
                return new ReasonerIfAvailable("missing", () -> new UnavailableException(e.getMessage(), e));
            }
        };
    }

    @Override
    public List<Reasoning> reason(List<Request> requests, Runnable answered) {
        throw refusal.get();
    }

    @Override
    public void close() {}
}
