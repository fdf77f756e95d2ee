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
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads the JSON object that a request's body must be: strictly, and within the server's limits. */
public final class RequestBody {
    private static final int LONGEST_NUMBER = 100;
    private static final int LONGEST_NAME = 1000;

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
                                .maxStringLength(limits.maxBodyBytes())
                                .build())
                        .build())
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
    }

    /**
     * The body's fields.
     *
     * @throws ApiException 415 unless the body is said to be JSON, 413 if it is too long or too deep, 400 if it is no JSON object, holds a key
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
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(object.toString())) {
            throw ApiException.invalid(
                    null, "the body holds half a surrogate pair, which is no text; write the character whole");
        }
        return new RequestFields("", object);
    }

    private byte[] read(Context context) {
        if (!context.isJson()) {
            String type = context.contentType();
            throw ApiException.notJson("the body must come as \"Content-Type: application/json\""
                    + (type == null ? ", it has no type" : ""));
        }
        int limit = limits.maxBodyBytes();
        if (context.req().getContentLengthLong() > limit) {
            throw tooLong();
        }
        try (InputStream in = context.bodyInputStream()) {
            byte[] body = in.readNBytes(limit + 1);
            if (body.length > limit) {
                throw tooLong();
            }
            return body;
        } catch (IOException e) {
            throw ApiException.invalid(null, "the body was cut off");
        }
    }

    private ApiException tooLong() {
        return ApiException.tooLarge("the body is longer than " + limits.maxBodyMb() + " MiB");
    }

    private JsonNode parse(byte[] body) {
        try {
            return json.readTree(body);
        } catch (StreamConstraintsException e) {
            throw ApiException.tooLarge(
                    "the body has more than " + limits.maxDepth() + " levels, a number of more than " + LONGEST_NUMBER
                            + " digits or a key of more than " + LONGEST_NAME + " characters" + where(e));
        } catch (JsonProcessingException e) {
            boolean twice = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate");
            throw ApiException.invalid(
                    null, twice ? "a key of the body stands twice" + where(e) : "the body is no JSON" + where(e));
        } catch (IOException e) {
            throw ApiException.invalid(null, "the body is no text in UTF-8");
        }
    }

    private static String where(JsonProcessingException fault) {
        JsonLocation at = fault.getLocation();
        return at == null ? "" : ", at line " + at.getLineNr() + ", column " + at.getColumnNr();
    }
}
