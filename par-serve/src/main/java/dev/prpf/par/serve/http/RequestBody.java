package dev.prpf.par.serve.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a request's body as a JSON object: strictly, and within the server's limits. */
public final class RequestBody {
    private static final Pattern JSON = Pattern.compile("(?i)application/json\\s*(;.*)?");
    private static final Pattern CHARSET = Pattern.compile("(?i);\\s*charset\\s*=\\s*\"?([^\";\\s]*)");
    private static final int BLOCK = 1 << 14;
    private static final int LONG = 1 << 18; // bytes; longer bodies are parsed in turns
    private static final int GRACE_SECONDS = 10; // of a body that is slow to begin
    private static final int IDLE_TIMES = 5; // that a whole body may take

    private final HttpSettings limits;
    private final JsonFactory json;

    public RequestBody(HttpSettings limits) {
        this.limits = limits;
        json = BodyJson.factory(limits);
    }

    public HttpSettings limits() {
        return limits;
    }

    /**
     * Reads the fields of the body.
     *
     * @throws ApiException 415 unless the content type is JSON. 413 if it is too long or too deep. 408 if it is too slow. 429 if its turn to be
     *     parsed does not come. 503 without memory. 400 for a value that is not a JSON object in UTF-8, a duplicate key or half a surrogate pair
     */
    public RequestFields fields(Context context) {
        BodyMemory.Share memory = Objects.requireNonNull(context.attribute(BodyMemory.Share.class.getName()));
        byte[] body = read(context, memory);
        if (body.length < LONG) {
            return fields(body, memory);
        }
        return ApiServer.compute(context, new ClientConnection(context)::requireOpen, () -> fields(body, memory));
    }

    private RequestFields fields(byte[] body, BodyMemory.Share memory) {
        BodyJson parser = new BodyJson(json, memory);
        if (!(parser.body(body) instanceof ObjectNode object)) {
            throw ApiException.invalid(null, "the body must be a JSON object");
        }
        return new RequestFields("", object, parser);
    }

    private byte[] read(Context context, BodyMemory.Share memory) {
        String type = context.header("Content-Type"); // Jetty fails for an unknown charset
        if (type == null || !JSON.matcher(type).matches()) {
            throw ApiException.notJson("the body must come as \"Content-Type: application/json\""
                    + (type == null ? ", it has no type" : ""));
        }
        Matcher charset = CHARSET.matcher(type);
        require(charset.find() ? charset.group(1) : null, "charset", "utf-8");
        require(context.header("Content-Encoding"), "Content-Encoding", "identity");
        require(context.header("Transfer-Encoding"), "Transfer-Encoding", "chunked");
        if (context.req().getContentLengthLong() > limits.maxBodyBytes()) {
            throw tooLong();
        }
        try (InputStream in = context.bodyInputStream()) {
            return read(in, context.req().getContentLengthLong(), memory);
        } catch (IOException e) {
            throw e.getCause() instanceof TimeoutException
                    ? tooSlow()
                    : ApiException.invalid(null, "the body was cut off");
        }
    }

    private static void require(@Nullable String coding, String name, String plain) {
        if (coding != null && !coding.equalsIgnoreCase(plain)) {
            throw ApiException.notJson("the body has " + name + " = " + coding + ", must be " + plain);
        }
    }

    /** @param length of the Content-Length header; -1 without it */
    private byte[] read(InputStream in, long length, BodyMemory.Share memory) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] block = new byte[BLOCK];
        long begin = System.nanoTime();
        for (int read = in.read(block); read >= 0; read = in.read(block)) {
            memory.hold(read * BodyMemory.EACH);
            body.write(block, 0, read);
            if (body.size() > limits.maxBodyBytes()) {
                throw tooLong();
            }
            double seconds = (System.nanoTime() - begin) / 1e9;
            double late = seconds - Math.min(GRACE_SECONDS, limits.idleTimeout());
            boolean slow = body.size() < late * limits.minBytesPerSecond() || seconds > longest();
            if (body.size() != length && slow) {
                throw tooSlow();
            }
        }
        return body.toByteArray();
    }

    /** Returns the time limit of a body, in seconds. */
    private int longest() {
        return IDLE_TIMES * limits.idleTimeout();
    }

    private ApiException tooSlow() {
        return ApiException.tooSlow("the body comes slower than " + limits.minBytesPerSecond()
                + " bytes/s, had no byte for " + limits.idleTimeout() + " s, or takes longer than " + longest() + " s");
    }

    private ApiException tooLong() {
        return ApiException.tooLarge("the body is longer than " + limits.maxBodyMb() + " MiB");
    }
}
