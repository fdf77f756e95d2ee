package dev.prpf.par.serve.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.Resource;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.BestMatch;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.RecordJson;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.Routes;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/** Serves the playground's page and files, which need no key, and {@code /playground/pool.json}, which does. */
public final class PageRoutes implements Routes {
    static final String FOLDER = "/playground/";

    /** The Content-Security-Policy of the page. Without inline scripts and markup from texts, a text cannot become a script. */
    static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    private static final String INDEX = "index.html";
    private static final String EXAMPLES = "examples.json";
    private static final List<String> NAMES = List.of(
            StringUtils.split(
                    """
            page.css icon.svg app.js api.js dom.js records.js editor.js gate.js answer.js judge.js copy.js
            cost.js replay.js history.js episodes.html episodes.js examples.json examples/test-12-000015-0.png
            examples/test-12-000015-1.png examples/test-12-000015-2.png examples/test-12-000015-3.png
            examples/test-12-000419-0.png examples/test-12-000419-1.png examples/test-12-000419-2.png"""));

    /** Numbers of records that the page shows. */
    private static final int MAX_ACTING = 8;

    private static final int MAX_SILENT = 4;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, PageFile> files;
    private final PoolView pool;

    /**
     * The server as the page shows it.
     *
     * @param gate the perceiver's run; null without one
     * @param reasoner the reasoner's name; null without one
     * @param feedback {@code kept}, {@code temporary} or {@code none}
     */
    public record About(@Nullable String gate, @Nullable String reasoner, String feedback) {}

    /**
     * @param pool functions that can be called; empty for a server without functions
     * @param catalog their scenarios
     * @param records examples for functions other than those of the shipped examples; empty for a page without examples
     */
    public PageRoutes(FunctionPool pool, ScenarioCatalog catalog, About about, List<Sample> records) {
        this.pool = PoolView.of(pool, catalog, about);
        Map<String, PageFile> all = Stream.concat(Stream.of(INDEX), NAMES.stream())
                .collect(Collectors.toMap(PageRoutes::path, PageFile::new));
        PageFile examples = Objects.requireNonNull(all.get(path(EXAMPLES)));
        if (!examples.calls().allMatch(pool::contains)) {
            all.put(path(EXAMPLES), new PageFile(examples.type, JsonRecords.write(examples(records))));
        }
        files = Map.copyOf(all);
    }

    private record Example(String title, ObjectNode record) {}

    private static List<Example> examples(List<Sample> records) {
        return Stream.concat(
                        records.stream().filter(Sample::wantsIntervention).limit(MAX_ACTING),
                        records.stream()
                                .filter(record -> !record.wantsIntervention())
                                .limit(MAX_SILENT))
                .map(record -> new Example(title(record), RecordJson.write(record)))
                .toList();
    }

    private static String title(Sample record) {
        return record.id() + ": "
                + record.validSequences().stream()
                        .filter(calls -> !calls.isEmpty())
                        .findFirst()
                        .map(calls -> String.join(", ", BestMatch.names(calls)))
                        .orElse("nothing to do");
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

    /**
     * The pool and the server for the page, {@code {"functions": [{"name", "description", "scenario"}], "scenarios": [name], "server"}}.
     *
     * @param scenarios in the catalogue's order
     * @param server names of its parts
     */
    record PoolView(List<FunctionView> functions, List<String> scenarios, About server) {
        /** @param scenario null if the catalogue has none for it */
        record FunctionView(String name, String description, @Nullable String scenario) {}

        static PoolView of(FunctionPool pool, ScenarioCatalog catalog, About server) {
            List<FunctionView> functions = pool.functions().stream()
                    .map(spec -> new FunctionView(spec.name(), spec.description(), catalog.scenarioOf(spec.name())))
                    .toList();
            return new PoolView(functions, catalog.names(), server);
        }
    }

    /** One file of the page, with its media type. */
    static final class PageFile {
        private static final Map<String, String> TYPES = Map.of(
                "html", "text/html; charset=utf-8",
                "css", "text/css; charset=utf-8",
                "js", "text/javascript; charset=utf-8",
                "json", "application/json",
                "svg", "image/svg+xml",
                "png", "image/png");

        private final String type;
        private final byte[] content;

        /** @param name of a resource of this package */
        PageFile(String name) {
            type = Objects.requireNonNull(TYPES.get(StringUtils.substringAfterLast(name, ".")), name);
            content = Resource.bytes(PageFile.class, name);
        }

        PageFile(String type, String content) {
            this.type = type;
            this.content = content.getBytes(StandardCharsets.UTF_8);
        }

        Stream<String> calls() {
            return IoFailure.whileReading(EXAMPLES, () -> JSON.readTree(content)).findValues("functions").stream()
                    .flatMap(calls -> StreamSupport.stream(calls.spliterator(), false))
                    .map(call -> call.path("name").asText());
        }

        void answer(Context context) {
            context.contentType(type).result(content);
        }
    }
}
