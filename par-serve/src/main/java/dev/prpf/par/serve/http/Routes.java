package dev.prpf.par.serve.http;

import io.javalin.config.RoutesConfig;

/** A wing of the API: it adds its paths. Handlers run on many threads at once and may wait. */
@FunctionalInterface
public interface Routes {
    void add(RoutesConfig routes);
}
