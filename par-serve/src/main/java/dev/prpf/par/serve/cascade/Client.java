package dev.prpf.par.serve.cascade;

import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The client of a request that waits for the perceiver.
 *
 * @param caller API key, for fair turns
 * @param waiting called now and then during the wait; throws if the client disconnected, which cancels the work
 */
record Client(String caller, Runnable waiting) {
    /** The client for the server's own work. */
    static final Client SERVER = new Client("", () -> {});

    /** Limits the total time of its waits; a wait beyond it is refused. */
    Client within(Duration patience, Supplier<ApiException> late) {
        return new Client(caller, FairGate.within(patience, waiting, late));
    }
}
