package dev.prpf.par.serve.http;

import io.javalin.config.RoutesConfig;
import io.javalin.http.HandlerType;
import java.util.Set;
import java.util.stream.Stream;

/** The routes of one component of the API. Handlers run on many threads at once and may wait. */
@FunctionalInterface
public interface Routes {
    void add(RoutesConfig routes);

    /** Returns its exact paths that need no key: files of the program without user data. Their requests have no API key. */
    default Set<String> open() {
        return Set.of();
    }

    /**
     * Returns routes that refuse every request (503), for a component that was not started.
     *
     * @param endpoints each {@code METHOD /path}
     */
    static Routes missing(String why, String... endpoints) {
        return routes -> Stream.of(endpoints)
                .map(endpoint -> endpoint.split(" ", 2))
                .forEach(endpoint ->
                        routes.addHttpHandler(HandlerType.findOrCreate(endpoint[0]), endpoint[1], context -> {
                            throw ApiException.unavailable(null, why);
                        }));
    }
}
