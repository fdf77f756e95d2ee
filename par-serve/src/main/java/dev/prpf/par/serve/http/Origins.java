package dev.prpf.par.serve.http;

import io.javalin.http.Context;
import io.javalin.http.Header;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.CrossOriginHandler;
import org.eclipse.jetty.util.Callback;

/**
 * The pages that may call the server: its own, and those of other origins that the settings list (CORS).
 *
 * @param allowed other origins with pages that may call the API
 * @param open paths that need no key
 */
record Origins(List<String> allowed, Set<String> open) {
    /** Answers the preflight requests of allowed origins, which have no key, and adds CORS headers to all their answers. */
    CrossOriginHandler preflight() {
        CrossOriginHandler handler = new CrossOriginHandler() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                String origin =
                        request.getHeaders().get(Header.ORIGIN); // Jetty would split it at blanks and ignore case
                boolean foreign = origin != null && !allowed.contains(origin);
                return foreign
                        ? getHandler().handle(request, response, callback)
                        : super.handle(request, response, callback);
            }
        };
        handler.setAllowedOriginPatterns(allowed.stream().map(Pattern::quote).collect(Collectors.toUnmodifiableSet()));
        handler.setAllowedMethods(Set.of("GET", "POST", "DELETE"));
        handler.setAllowedHeaders(Set.of("Authorization", "Content-Type", "*")); // * does not include Authorization
        handler.setExposedHeaders(Set.of("Retry-After", "X-Request-Id"));
        return handler;
    }

    /** Refuses foreign host names: a page of another site may reach this machine under its own name (DNS rebinding). */
    static void requireLocal(Context context) {
        String host = context.req().getServerName().toLowerCase(Locale.ROOT);
        boolean local = host.equals("localhost") || host.matches("127(\\.\\d+){3}") || host.equals("[::1]");
        if (!local) {
            throw ApiException.forbidden("without API keys this server answers only as localhost or 127.0.0.1");
        }
    }

    /**
     * Refuses pages of other origins, with or without a preflight request. A browser sends some requests of other sites, such as those of images,
     * without an origin, and names their site.
     */
    void require(Context context) {
        String origin = context.header(Header.ORIGIN);
        String site = Objects.requireNonNullElse(context.header("Sec-Fetch-Site"), "none");
        boolean own = site.equals("same-origin")
                || (origin == null
                        ? site.equals("none") || open.contains(context.path())
                        : origin.replaceFirst("^https?://", "").equals(context.host()) || allowed.contains(origin));
        if (!own) {
            throw ApiException.forbidden(
                    "pages of this origin may not call this server; http.allowed-origins lists others");
        }
    }
}
