package dev.prpf.base.hub;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.http.TimedExchange.ContentEncoding;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.commons.lang3.function.FailableSupplier;

/**
 * Downloads one blob into its partial file. Resumes after an earlier attempt or process, and verifies length and checksum. For
 * one use in one thread.
 */
final class BlobDownload {
    private static final int BUFFER = 1 << 16;
    private static final int PARTIAL_CONTENT = 206;

    private final HubFile file;
    private final URI address;
    private final Path partial;
    private final Source source;
    private long length;
    private long furthest;

    /** The client, the listener for received bytes, and a check between buffers; its exception ends the download. */
    record Source(HubClient client, LongConsumer received, Runnable check) {}

    BlobDownload(HubFile file, URI address, Path partial, Source source) {
        this.file = file;
        this.address = address;
        this.partial = partial;
        this.source = source;
    }

    /**
     * Downloads the missing bytes.
     *
     * @throws PrpfException 65 for a length or checksum other than listed, 69 if the download fails
     */
    void run() throws IOException, InterruptedException {
        Files.createDirectories(partial.resolveSibling("."));
        try (FileChannel out = FileChannel.open(partial, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (out.size() > file.size()) {
                out.truncate(0);
            }
            length = out.size();
            furthest = length;
            source.received().accept(length);
            boolean resumed = length > 0;
            fetch(out);
            String sum = file.checksum(partial, source.check());
            if (resumed && !sum.equals(file.etag())) {
                restart(out);
                furthest = 0;
                fetch(out);
                sum = file.checksum(partial, source.check());
            }
            requireChecksum(sum);
            out.force(true);
        }
    }

    private void restart(FileChannel out) throws IOException {
        out.truncate(0);
        source.received().accept(-length);
        length = 0;
    }

    private void fetch(FileChannel out) throws IOException, InterruptedException {
        if (length == file.size()) {
            return;
        }
        try {
            source.client()
                    .retrier()
                    .run(
                            () -> {
                                attempt(out);
                                return length;
                            },
                            () -> furthest);
        } catch (IOException e) {
            throw source.client().errors().unreachable(address, e);
        }
    }

    private void attempt(FileChannel out) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = open();
        try (InputStream body = response.body()) {
            begin(out, response);
            copy(
                    body,
                    watched(
                            body,
                            () -> ContentEncoding.decoded(HubErrors.shown(response.uri()), response.headers(), body)),
                    out);
        }
        if (length < file.size()) {
            throw new IOException(
                    file.path() + ": the connection ended after " + length + " of " + file.size() + " bytes");
        }
    }

    private HttpResponse<InputStream> open() throws IOException, InterruptedException {
        Map<String, String> range = length > 0 ? Map.of("Range", "bytes=" + length + "-") : Map.of();
        HubClient client = source.client();
        return client.follow(
                address, range, request -> client.http().send(request, HttpResponse.BodyHandlers.ofInputStream()));
    }

    /** Checks that the response continues the partial file; restarts it if not. */
    private void begin(FileChannel out, HttpResponse<?> response) throws IOException {
        if (response.statusCode() == HubClient.NO_SUCH_RANGE) { // the partial file is longer than the server's
            restart(out);
            throw new IOException(HubErrors.shown(response.uri()) + " has no such range of bytes");
        }
        if (response.statusCode() != PARTIAL_CONTENT) {
            if (length > 0) {
                restart(out); // the server ignores the range and sends all bytes
            }
            return;
        }
        String range = response.headers().firstValue("Content-Range").orElse("");
        if (!range.startsWith("bytes " + length + "-") || !ContentEncoding.isIdentity(response.headers())) {
            restart(out);
            throw new IOException(file.path() + ": requested bytes from " + length + ", got \"" + range + "\"");
        }
    }

    private void copy(InputStream body, InputStream content, FileChannel out) throws IOException {
        byte[] buffer = new byte[BUFFER];
        FailableSupplier<Integer, IOException> next = () -> content.read(buffer);
        for (int n = watched(body, next); n >= 0; n = watched(body, next)) {
            source.check().run();
            if (length + n > file.size()) {
                discard(out);
                throw new InvalidDataException(file.path() + ": " + address + " has more than the " + file.size()
                        + " bytes that are listed; is the endpoint a faithful mirror?");
            }
            write(out, buffer, n);
            length += n;
            furthest = Math.max(furthest, length);
            source.received().accept(n);
        }
    }

    /** Reads from a body and fails if no byte arrives in time. The JDK's client would wait forever. */
    private <T> T watched(InputStream body, FailableSupplier<T, IOException> reading) throws IOException {
        long limit = source.client().environment().downloadTimeout().toMillis();
        CompletableFuture<Boolean> stalled = new CompletableFuture<>();
        CompletableFuture<Void> closed =
                stalled.completeOnTimeout(true, limit, TimeUnit.MILLISECONDS).thenAccept(late -> closeIf(late, body));
        try {
            T read = reading.get();
            if (stalled.complete(false)) {
                return read;
            }
        } catch (IOException e) {
            if (stalled.complete(false)) {
                throw e;
            }
        }
        closed.join();
        throw new HttpTimeoutException("no byte came for " + limit / 1000.0 + " s");
    }

    private static void closeIf(boolean late, InputStream body) {
        try {
            if (late) {
                body.close();
            }
        } catch (IOException e) {
            // The reader reports the stall.
        }
    }

    /** Writes to the partial file. A full disk is final and not retried like a network failure. */
    private void write(FileChannel out, byte[] bytes, int count) {
        IoFailure.whileWriting(
                partial, () -> Channels.newOutputStream(out.position(length)).write(bytes, 0, count));
    }

    private void requireChecksum(String sum) throws IOException {
        if (!sum.equals(file.etag())) {
            Files.delete(partial);
            throw new InvalidDataException(file.path() + ": its " + (file.sha256() == null ? "git SHA-1" : "SHA-256")
                    + " = "
                    + sum + ", must be " + file.etag()
                    + "; the download was deleted: run the same command again, and if it fails again, the endpoint "
                    + source.client().environment().endpoint() + " has a damaged copy");
        }
    }

    private void discard(FileChannel out) throws IOException {
        restart(out);
        Files.delete(partial);
    }
}
