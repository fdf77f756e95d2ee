package dev.prpf.par.serve.page;

import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.lang3.StringUtils;

/** One file of the page, with its media type. */
final class PageFile {
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
        try (InputStream in = Objects.requireNonNull(PageFile.class.getResourceAsStream(name), name)) {
            content = in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    void answer(Context context) {
        context.contentType(type).result(content);
    }
}
