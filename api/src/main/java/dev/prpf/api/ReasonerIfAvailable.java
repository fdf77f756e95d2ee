package dev.prpf.api;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.par.cascade.LoadedCascade.ReasonerSource;
import dev.prpf.par.cascade.Reasoner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens reasoners that need not be there; one that is not loaded refuses each request. */
final class ReasonerIfAvailable {
    private static final Logger LOG = LoggerFactory.getLogger(ReasonerIfAvailable.class);

    private ReasonerIfAvailable() {}

    static ReasonerSource none(String folder) {
        String message = folder + ": was opened by loadGate, without its reasoner; open it with load to recommend";
        return (catalog, texts) -> Reasoner.refusing("none", () -> new UnavailableException(message));
    }

    /** Returns a source of the same reasoner; a missing library is logged, and then reported by each request. */
    static ReasonerSource of(ReasonerSource own) {
        return (catalog, texts) -> {
            try {
                return own.open(catalog, texts);
            } catch (UnavailableException e) {
                LOG.warn("only the gate works: {}", e.getMessage());
                return Reasoner.refusing("missing", () -> new UnavailableException(e.getMessage(), e));
            }
        };
    }
}
