package dev.prpf.par.serve.http;

import io.javalin.config.RoutesConfig;
import java.util.Set;

/** The routes of one component of the API. Handlers run on many threads at once and may wait. */
@FunctionalInterface
public interface Routes {
    void add(RoutesConfig routes);

    /** Returns its exact paths that need no key: files of the program without user data. Their requests have no API key. */
    default Set<String> open() {
        return Set.of();
    }
}
