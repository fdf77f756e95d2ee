package dev.prpf.par.serve.http;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.DataUrl;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Limits of HTTP requests: the {@code http:} section of configs/serve.yaml.
 *
 * @param maxBodyMb maximum size of a request's body, in 2^20 bytes; a longer one is refused (413) before it is read
 * @param maxDepth levels of JSON
 * @param maxHeaderKb maximum size of all headers together, in 2^10 bytes
 * @param maxPixels maximum pixels of an image, read from its header before decoding
 * @param maxImages images of a request
 * @param threads eight for the server itself, the others for requests that run or wait at once; further ones are refused (503)
 * @param idleTimeout seconds without a byte after which a connection is closed
 * @param minBytesPerSecond minimum speed of a body, after its first ten seconds; a slower one is refused (408); 0 for no limit
 * @param drainTimeout seconds that requests in progress have to end after SIGTERM
 * @param allowedOrigins other origins with pages that may call the API (CORS), such as http://localhost:3000
 */
public record HttpSettings(
        int maxBodyMb,
        int maxDepth,
        int maxHeaderKb,
        long maxPixels,
        int maxImages,
        int threads,
        int idleTimeout,
        int minBytesPerSecond,
        int drainTimeout,
        List<String> allowedOrigins) {
    private static final int LEAST_THREADS = 16;
    private static final Pattern ORIGIN = Pattern.compile("[a-z][a-z0-9+.-]*://[^/?#@*\\sA-Z]+");

    public HttpSettings {
        Rule.require(maxBodyMb >= 1 && maxBodyMb <= 1024, "max-body-mb", maxBodyMb, "from 1 to 1024");
        Rule.require(maxDepth >= 8 && maxDepth <= 1000, "max-depth", maxDepth, "from 8 to 1000");
        Rule.require(maxHeaderKb >= 1 && maxHeaderKb <= 1024, "max-header-kb", maxHeaderKb, "from 1 to 1024");
        Rule.require(maxPixels >= 1, "max-pixels", maxPixels, "at least 1");
        Rule.require(maxImages >= 1, "max-images", maxImages, "at least 1");
        Rule.require(threads >= LEAST_THREADS, "threads", threads, "at least " + LEAST_THREADS);
        Rule.require(idleTimeout >= 1, "idle-timeout", idleTimeout, "at least 1");
        Rule.require(minBytesPerSecond >= 0, "min-bytes-per-second", minBytesPerSecond, "at least 0");
        Rule.require(drainTimeout >= 0, "drain-timeout", drainTimeout, "at least 0");
        allowedOrigins = List.copyOf(allowedOrigins);
        Rule.require(
                allowedOrigins.stream()
                        .allMatch(origin -> ORIGIN.matcher(origin).matches()),
                "allowed-origins",
                allowedOrigins,
                "origins as browsers send them, SCHEME://HOST or SCHEME://HOST:PORT in lower case; * is not accepted");
    }

    /** Returns the maximum bytes of a body. */
    public int maxBodyBytes() {
        return maxBodyMb << 20;
    }

    /**
     * Refuses an image that is not a data URL, not an image, or too large.
     *
     * @param place path of its field
     * @throws ApiException 400 or 413, naming the field
     */
    public void requireImage(String place, String url) {
        if (!DataUrl.is(url)) {
            throw ApiException.invalid(
                    place,
                    place + " must be the image itself as a data URL (data:image/png;base64,…): paths and addresses"
                            + " are not opened");
        }
        Pixels.Size size;
        try {
            size = Pixels.size(DataUrl.bytes(url));
        } catch (InvalidDataException e) {
            throw ApiException.invalid(place, place + ": " + e.getMessage());
        }
        if (size.pixels() > maxPixels) {
            throw ApiException.tooLarge(
                    place,
                    place + " has " + size.width() + " x " + size.height() + " pixels, at most " + maxPixels
                            + " are read");
        }
    }

    /**
     * Refuses more images than a request may hold.
     *
     * @param place path of their field
     * @throws ApiException 413, naming the field
     */
    public void requireFewImages(String place, int images) {
        if (images > maxImages) {
            throw ApiException.tooLarge(
                    place, place + " has " + images + " images, at most " + maxImages + " are read");
        }
    }
}
