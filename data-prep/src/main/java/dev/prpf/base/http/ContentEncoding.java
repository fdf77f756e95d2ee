package dev.prpf.base.http;

import dev.prpf.base.error.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/** Decompresses bodies that a server, a mirror or a proxy compressed although the request accepts identity only. */
public final class ContentEncoding {
    private static final String IDENTITY = "identity";

    private ContentEncoding() {}

    /** Returns whether the body is the content itself. */
    public static boolean isIdentity(HttpHeaders headers) {
        return of(headers).equals(IDENTITY);
    }

    /**
     * Returns the content of a response's body.
     *
     * @param address of the response, for the message
     * @throws UnavailableException for an encoding other than gzip, deflate and identity
     */
    public static InputStream decoded(String address, HttpHeaders headers, InputStream body) throws IOException {
        return switch (of(headers)) {
            case IDENTITY -> body;
            case "gzip", "x-gzip" -> new GZIPInputStream(body);
            case "deflate" -> new InflaterInputStream(body);
            default ->
                throw new UnavailableException(address + " answers with Content-Encoding \"" + of(headers)
                        + "\", must be gzip, deflate or identity; use an endpoint that does not compress");
        };
    }

    private static String of(HttpHeaders headers) {
        String encoding = headers.firstValue("Content-Encoding").orElse(IDENTITY);
        return encoding.isBlank() ? IDENTITY : encoding.strip().toLowerCase(Locale.ROOT);
    }
}
