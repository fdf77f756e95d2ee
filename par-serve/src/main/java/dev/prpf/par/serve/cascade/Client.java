package dev.prpf.par.serve.cascade;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The client of a request that waits for the perceiver.
 *
 * @param caller API key, for fair turns
 * @param waiting called now and then during the wait; throws if the client disconnected, which cancels the work
 * @param images the request's images by data URL, once they are hashed
 */
record Client(String caller, Runnable waiting, Map<String, ImageFile> images) {
    /** The client for the server's own work. */
    static final Client SERVER = new Client("", () -> {});

    Client(String caller, Runnable waiting) {
        this(caller, waiting, new IdentityHashMap<>());
    }

    /** Limits the total time of its waits; a wait beyond it is refused. */
    Client within(Duration patience, Supplier<ApiException> late) {
        return new Client(caller, FairGate.within(patience, waiting, late));
    }
}
