package dev.prpf.par.serve.cascade;

import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Who waits for the perceiver.
 *
 * @param caller whose turn it takes
 * @param waiting is run now and then while it waits; throws where nobody does any more, which calls the work off
 */
record Client(String caller, Runnable waiting) {
    /** The server itself. */
    static final Client SERVER = new Client("", () -> {});

    /** Limits the time of all its waits together; a wait beyond it is refused. */
    Client within(Duration patience, Supplier<ApiException> late) {
        return new Client(caller, FairGate.within(patience, waiting, late));
    }
}
