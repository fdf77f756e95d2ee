package dev.prpf.par.serve.page;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.Routes;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Serves the playground's page and files, which need no key, and {@code /playground/pool.json}, which does. */
public final class PageRoutes implements Routes {
    static final String FOLDER = "/playground/";

    /** The Content-Security-Policy of the page. Without inline scripts and markup from texts, a text cannot become a script. */
    static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    private static final String INDEX = "index.html";
    private static final List<String> NAMES = List.of(
            "page.css",
            "icon.svg",
            "app.js",
            "api.js",
            "dom.js",
            "records.js",
            "editor.js",
            "gate.js",
            "answer.js",
            "cost.js",
            "replay.js",
            "history.js",
            "examples.json",
            "examples/test-12-000015-0.png",
            "examples/test-12-000015-1.png",
            "examples/test-12-000015-2.png",
            "examples/test-12-000015-3.png",
            "examples/test-12-000419-0.png",
            "examples/test-12-000419-1.png",
            "examples/test-12-000419-2.png");

    private final Map<String, PageFile> files;
    private final PoolView pool;

    /**
     * @param pool functions that can be called; empty for a server without functions
     * @param catalog their scenarios
     */
    public PageRoutes(FunctionPool pool, ScenarioCatalog catalog) {
        this.pool = PoolView.of(pool, catalog);
        files = Stream.concat(Stream.of(INDEX), NAMES.stream())
                .collect(Collectors.toUnmodifiableMap(PageRoutes::path, PageFile::new));
    }

    private static String path(String name) {
        return name.equals(INDEX) ? "/" : FOLDER + name;
    }

    @Override
    public void add(RoutesConfig routes) {
        files.forEach((path, file) -> routes.get(path, context -> answer(context, file)));
        routes.get(FOLDER + "pool.json", context -> ApiServer.answer(context, 200, pool));
    }

    @Override
    public Set<String> open() {
        return files.keySet();
    }

    private static void answer(Context context, PageFile file) {
        context.header("Content-Security-Policy", POLICY);
        context.header("Cross-Origin-Resource-Policy", "same-origin");
        file.answer(context);
    }
}
