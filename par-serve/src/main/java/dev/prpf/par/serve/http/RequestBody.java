package dev.prpf.par.serve.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

/** Reads the JSON object that a request's body must be: strictly, and within the server's limits. */
public final class RequestBody {
    private static final int LONGEST_NUMBER = 100;
    private static final int LONGEST_NAME = 1000;
    private static final int MOST_TOKENS = 500_000; // of JSON: braces, keys, values
    private static final int BLOCK = 1 << 14;
    private static final String BYTE_ORDER_MARK = "\uFEFF";
    private static final int GRACE_SECONDS = 10; // of a body that is slow to begin

    private final HttpSettings limits;
    private final JsonMapper json;

    public RequestBody(HttpSettings limits) {
        this.limits = limits;
        json = JsonMapper.builder(JsonFactory.builder()
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(limits.maxDepth())
                                .maxNumberLength(LONGEST_NUMBER)
                                .maxNameLength(LONGEST_NAME)
                                .maxTokenCount(MOST_TOKENS)
                                .maxStringLength(limits.maxBodyBytes())
                                .build())
                        .build())
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
    }

    /** What pictures in it must keep to. */
    public PictureBounds pictures() {
        return limits.pictures();
    }

    /**
     * The body's fields.
     *
     * @throws ApiException 415 unless the body is said to be JSON, 413 if it is too long or too deep, 408 if it is too slow, 503 if there is no
     *     memory for it now, 400 if it is no JSON object, no UTF-8, holds a key
     *     twice or half a surrogate pair
     */
    public RequestFields fields(Context context) {
        return fields(read(context));
    }

    /** The same of a body that was read already. */
    RequestFields fields(byte[] body) {
        JsonNode root = parse(body);
        if (!(root instanceof ObjectNode object)) {
            throw ApiException.invalid(null, "the body must be a JSON object");
        }
        if (!isText(object)) {
            throw ApiException.invalid(
                    null, "the body holds half a surrogate pair, which is no text; write the character whole");
        }
        return new RequestFields("", object);
    }

    /** Whether no text or key in it has half a surrogate pair. Depth is bounded, so that it may call itself. */
    private static boolean isText(JsonNode node) {
        if (node.isTextual()) {
            return isText(node.textValue());
        }
        if (node instanceof ObjectNode object
                && !object.properties().stream().allMatch(field -> isText(field.getKey()))) {
            return false;
        }
        for (JsonNode child : node) {
            if (!isText(child)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isText(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    private byte[] read(Context context) {
        if (!context.isJson()) {
            String type = context.contentType();
            throw ApiException.notJson("the body must come as \"Content-Type: application/json\""
                    + (type == null ? ", it has no type" : ""));
        }
        if (context.req().getContentLengthLong() > limits.maxBodyBytes()) {
            throw tooLong();
        }
        BodyMemory.Share memory = Objects.requireNonNull(context.attribute(BodyMemory.Share.class.getName()));
        try (InputStream in = context.bodyInputStream()) {
            return read(in, context.req().getContentLengthLong(), memory);
        } catch (IOException e) {
            throw e.getCause() instanceof TimeoutException
                    ? tooSlow()
                    : ApiException.invalid(null, "the body was cut off");
        }
    }

    /** @param length that the body says it has; -1 where it does not say */
    private byte[] read(InputStream in, long length, BodyMemory.Share memory) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] block = new byte[BLOCK];
        long begin = System.nanoTime();
        for (int read = in.read(block); read >= 0; read = in.read(block)) {
            memory.take(read);
            body.write(block, 0, read);
            if (body.size() > limits.maxBodyBytes()) {
                throw tooLong();
            }
            double late = (System.nanoTime() - begin) / 1e9 - Math.min(GRACE_SECONDS, limits.idleTimeout());
            if (body.size() != length && body.size() < late * limits.minBytesPerSecond()) {
                throw tooSlow();
            }
        }
        return body.toByteArray();
    }

    private ApiException tooSlow() {
        return ApiException.tooSlow("the body comes slower than " + limits.minBytesPerSecond()
                + " bytes/s, or had no byte for " + limits.idleTimeout() + " s");
    }

    private ApiException tooLong() {
        return ApiException.tooLarge("the body is longer than " + limits.maxBodyMb() + " MiB");
    }

    private JsonNode parse(byte[] body) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(body))
                    .toString();
            return json.readTree(text.startsWith(BYTE_ORDER_MARK) ? text.substring(BYTE_ORDER_MARK.length()) : text);
        } catch (StreamConstraintsException e) {
            throw ApiException.tooLarge("the body has more than " + limits.maxDepth() + " levels or " + MOST_TOKENS
                    + " values and keys, a number of more than " + LONGEST_NUMBER
                    + " digits or a key of more than " + LONGEST_NAME + " characters" + where(e));
        } catch (JsonProcessingException e) {
            boolean twice = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate");
            throw ApiException.invalid(
                    null, twice ? "a key of the body stands twice" + where(e) : "the body is no JSON" + where(e));
        } catch (CharacterCodingException e) {
            throw ApiException.invalid(null, "the body is no text in UTF-8");
        }
    }

    private static String where(JsonProcessingException fault) {
        JsonLocation at = fault.getLocation();
        return at == null ? "" : ", at line " + at.getLineNr() + ", column " + at.getColumnNr();
    }
}
