package dev.prpf.par.serve.openapi;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.par.serve.http.Routes;
import io.javalin.config.RoutesConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Serves {@code GET /openapi.json} as a constant. */
public final class OpenApiRoutes implements Routes {
    private static final String DOCUMENT = "openapi.json";

    private final byte[] document = document();

    @Override
    public void add(RoutesConfig routes) {
        routes.get("/" + DOCUMENT, context -> context.contentType("application/json")
                .result(document));
    }

    /** Returns the document in UTF-8. */
    static byte[] document() {
        try (InputStream in = OpenApiRoutes.class.getResourceAsStream(DOCUMENT)) {
            if (in == null) {
                throw new UnavailableException("the resource " + DOCUMENT + " is missing from the program; rebuild it");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
