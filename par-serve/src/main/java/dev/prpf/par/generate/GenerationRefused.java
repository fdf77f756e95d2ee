package dev.prpf.par.generate;

/** Reports a request that the generation service refused or did not finish. */
public final class GenerationRefused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    /** Outcomes of a request without a response. */
    public enum Reason {
        /** The prompt leaves no room for a response. */
        TOO_LONG,
        /** The queue is full; the request may be sent again. */
        FULL,
        /** The request's time ran out during a forward pass. */
        LATE,
        /** The service was closed. */
        STOPPED,
        /** The service failed and has stopped. */
        FAILED
    }

    public GenerationRefused(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
