package dev.prpf.par.serve.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.json.EmbeddedJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Parses the JSON of one request: its body, and texts in the body that contain JSON. All of it follows the same rules and shares one budget of tokens
 * and one account of memory. Use from the request's thread.
 */
final class BodyJson {
    private static final int MOST_NUMBERS = 150_000; // more than twice the token ids that any request may have
    private static final int NUMBERS_OF_OTHERS = 5; // a string's node takes five times the heap of a number's
    private static final int LONGEST_NUMBER = 100;
    private static final int LONGEST_NAME = 1000;
    private static final int TOKENS_AT_ONCE = 1024;
    private static final int BYTE_ORDER_MARK = 0xFEFF;
    private static final ObjectMapper TREES = new ObjectMapper();

    private final JsonFactory json;
    private final BodyMemory.Share memory;
    private int tokens;
    private int numbers; // the used budget

    /** @param json of {@link #factory} */
    BodyJson(JsonFactory json, BodyMemory.Share memory) {
        this.json = json;
        this.memory = memory;
    }

    static JsonFactory factory(HttpSettings limits) {
        return JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(limits.maxDepth())
                        .maxNumberLength(LONGEST_NUMBER)
                        .maxNameLength(LONGEST_NAME)
                        .maxStringLength(limits.maxBodyBytes())
                        .build())
                .build();
    }

    /** @throws ApiException as {@link RequestBody#fields} */
    JsonNode body(byte[] body) {
        try (Reader text = text(body)) {
            return parse(text, "the body", null);
        } catch (CharacterCodingException e) {
            throw ApiException.invalid(null, "the body is not text in UTF-8");
        } catch (JsonProcessingException e) {
            throw ApiException.invalid(null, "the body is not JSON" + where(e));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Reader text(byte[] body) throws IOException {
        Reader text = new InputStreamReader(
                new ByteArrayInputStream(body),
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT));
        boolean marked =
                body.length >= 3 && new String(body, 0, 3, StandardCharsets.UTF_8).charAt(0) == BYTE_ORDER_MARK;
        if (marked) {
            text.read();
        }
        return text;
    }

    /**
     * Returns the JSON in a text of the body, or null if the text is not JSON.
     *
     * @param path of the text, for messages
     * @throws ApiException 413 if it is too large or too deep, 400 if it has duplicate keys or half a surrogate pair
     */
    @Nullable
    JsonNode embedded(String path, String text) {
        try {
            return parse(new StringReader(text), path, path);
        } catch (JsonProcessingException e) {
            return null;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private JsonNode parse(Reader text, String what, @Nullable String parameter) throws IOException {
        try (JsonParser parser = new Counted(json.createParser(text))) {
            JsonNode value = TREES.readTree(parser);
            if (value == null || parser.nextToken() != null) {
                throw new JsonParseException(parser, "it must be one value");
            }
            if (!EmbeddedJson.isText(value)) {
                throw ApiException.invalid(
                        parameter, what + " holds half a surrogate pair, which is no text; write the character whole");
            }
            return value;
        } catch (StreamConstraintsException e) {
            throw ApiException.tooLarge(
                    parameter,
                    what + " exceeds a limit" + where(e) + ": at most "
                            + json.streamReadConstraints().getMaxNestingDepth()
                            + " levels, " + LONGEST_NUMBER + " digits a number, " + LONGEST_NAME
                            + " characters a key; " + MOST_NUMBERS + " numbers or " + MOST_NUMBERS / NUMBERS_OF_OTHERS
                            + " other values and keys in all JSON of a request");
        } catch (JsonProcessingException e) {
            if (String.valueOf(e.getOriginalMessage()).startsWith("Duplicate")) {
                throw ApiException.invalid(parameter, what + " has a duplicate key" + where(e));
            }
            throw e;
        }
    }

    private static String where(JsonProcessingException fault) {
        JsonLocation at = fault.getLocation();
        return at == null ? "" : ", at line " + at.getLineNr() + ", column " + at.getColumnNr();
    }

    /** Charges each token to the request's budget and memory account, before a node is created. */
    private final class Counted extends JsonParserDelegate {
        Counted(JsonParser parser) {
            super(parser);
        }

        @Override
        public JsonToken nextToken() throws IOException {
            JsonToken token = super.nextToken();
            numbers += token == null || token.isNumeric() ? 1 : NUMBERS_OF_OTHERS;
            if (numbers > MOST_NUMBERS) {
                throw new StreamConstraintsException("too many tokens", currentLocation());
            } else if (tokens % TOKENS_AT_ONCE == 0) {
                memory.hold(TOKENS_AT_ONCE * BodyMemory.EACH_TOKEN);
            }
            tokens++;
            return token;
        }
    }
}
