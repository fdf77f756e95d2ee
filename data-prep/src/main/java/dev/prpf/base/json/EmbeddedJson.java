package dev.prpf.base.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Parses JSON inside untrusted text, such as a response, a label or a field of a request. Parsing is strict: unique keys, one value, whole
 * surrogate pairs. Depth and size are limited before a tree is built.
 */
public final class EmbeddedJson {
    /** The largest number of nested arrays and objects. */
    public static final int MOST_LEVELS = 64;

    /** The largest number of braces, brackets, keys and values. */
    public static final int MOST_TOKENS = 50_000;

    private static final ObjectMapper TREES = new ObjectMapper();
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MOST_LEVELS)
                    .maxTokenCount(MOST_TOKENS)
                    .build())
            .build();

    private EmbeddedJson() {}

    /** Returns a factory of parsers that refuse JSON beyond these limits. */
    public static JsonFactory factory() {
        return FACTORY.copy(); // a mapper sets itself as the factory's codec
    }

    /** Returns a text's JSON, or null if it is not JSON within the limits. */
    public static @Nullable JsonNode read(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            JsonNode json = TREES.readTree(parser);
            return json != null && parser.nextToken() == null && isText(json) ? json : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns whether all texts and keys have whole surrogate pairs. Recursive, since the parser limits the depth. */
    public static boolean isText(JsonNode node) {
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
}
