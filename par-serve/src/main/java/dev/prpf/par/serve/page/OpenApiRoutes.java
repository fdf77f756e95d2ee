package dev.prpf.par.serve.page;

import dev.prpf.base.files.Resource;
import dev.prpf.par.serve.http.Routes;
import io.javalin.config.RoutesConfig;

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
        return Resource.bytes(OpenApiRoutes.class, DOCUMENT);
    }
}
