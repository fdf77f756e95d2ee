package dev.prpf.par.serve.http;

import io.javalin.config.RoutesConfig;
import java.util.Set;

/** A wing of the API: it adds its paths. Handlers run on many threads at once and may wait. */
@FunctionalInterface
public interface Routes {
    void add(RoutesConfig routes);

    /** Its paths that need no key, letter for letter: files of the program that say nothing of anybody. Their requests have no caller. */
    default Set<String> open() {
        return Set.of();
    }
}
