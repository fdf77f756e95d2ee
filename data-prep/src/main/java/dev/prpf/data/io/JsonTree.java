package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.IoFailure;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON value from a token stream. Unlike Jackson's tree reader it reports duplicate keys with their location (the first
 * value is kept), NaN, infinities and strings with unpaired surrogates. It rejects values longer than {@value #LARGEST} bytes, so
 * that memory stays bounded.
 */
final class JsonTree {
    private static final int LONGEST_NUMBER = 100_000;

    static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // reported as defects, so that reading continues
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNumberLength(LONGEST_NUMBER)
                    .build())
            .build();
    /** Writes with the factory; its parsers read scalars with it. */
    static final ObjectMapper MAPPER = new ObjectMapper(FACTORY);

    static final long LARGEST = 64L << 20;
    /** The rule for {@code NaN} and {@code Infinity}, which Python writes although JSON lacks them. */
    static final String NON_FINITE = "non-finite-number";

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final JsonParser parser;
    private final Defect.Sink defects;
    private final int prefix;
    private final long start;

    private JsonTree(JsonParser parser, Defect.Sink defects) {
        this.parser = parser;
        this.defects = defects;
        this.start = position();
        this.prefix = pointerOf(parser).length();
    }

    /** Reads the value that starts at the parser's current token, and leaves the parser at the value's last token. */
    static JsonNode read(JsonParser parser, Defect.Sink defects) throws IOException {
        return new JsonTree(parser, defects).value();
    }

    /** Reads a file with one JSON value, or the shipped resource if the file is null. */
    static JsonNode readFile(@Nullable Path file, String shipped, Defect.Sink defects) {
        try (InputStream in = file == null ? JsonTree.class.getResourceAsStream(shipped) : Files.newInputStream(file)) {
            if (in == null) {
                throw new UnavailableException(
                        "the resource " + shipped + " is missing from the program; build it again");
            }
            return readStream(in, defects);
        } catch (IOException e) {
            throw IoFailure.reading(Objects.requireNonNullElse(file, Path.of(shipped)), e);
        }
    }

    /** Reads one JSON value; reports duplicate keys and throws for invalid JSON. */
    static JsonNode readStream(InputStream in, Defect.Sink defects) throws IOException {
        try (JsonParser parser = FACTORY.createParser(in)) {
            if (parser.nextToken() == null) {
                throw new MalformedFileException("empty-file", "the file is empty, must hold a JSON value");
            }
            JsonNode value = read(parser, defects);
            requireEnd(parser, "JSON value");
            return value;
        } catch (JsonProcessingException | CharConversionException e) {
            throw malformed(e);
        }
    }

    /** Rejects further tokens after the parser's current one, the last of {@code what}. */
    static void requireEnd(JsonParser parser, String what) throws IOException {
        if (parser.nextToken() != null) {
            String where = parser.currentTokenLocation().offsetDescription();
            throw new MalformedFileException(
                    "trailing-content", "more follows after the end of the " + what + " at " + where);
        }
    }

    /** Converts a parser's exception to a message about the file. */
    static MalformedFileException malformed(IOException cause) {
        if (!(cause instanceof JsonProcessingException json)) {
            return new MalformedFileException("malformed-json", "this is not JSON in UTF-8: " + cause.getMessage());
        }
        String where = json.getLocation() == null
                ? ""
                : " at line " + json.getLocation().getLineNr() + ", column "
                        + json.getLocation().getColumnNr();
        return cause instanceof JsonEOFException
                ? new MalformedFileException("truncated-json", "the JSON is truncated: the file ends" + where)
                : new MalformedFileException(
                        "malformed-json", "this is not JSON" + where + ": " + json.getOriginalMessage());
    }

    /** Returns the bytes before the current token. For UTF-16 and UTF-32 the parser only counts characters, of at least two bytes. */
    private long position() {
        JsonLocation location = parser.currentTokenLocation();
        return location.getByteOffset() >= 0 ? location.getByteOffset() : 2 * location.getCharOffset();
    }

    private JsonNode value() throws IOException {
        if (position() - start > LARGEST) {
            throw new MalformedFileException(
                    "record-too-large",
                    "the value that begins at byte " + start + " is longer than " + LARGEST
                            + " bytes; is this an array of records?");
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> object();
            case START_ARRAY -> array();
            case VALUE_STRING -> text();
            case VALUE_NUMBER_FLOAT -> decimal();
            default -> parser.readValueAsTree(); // an integer, a boolean or null
        };
    }

    private JsonNode object() throws IOException {
        ObjectNode object = NODES.objectNode();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            boolean duplicate = object.has(key);
            String path = duplicate ? place() : "";
            parser.nextToken();
            JsonNode value = value();
            if (duplicate) {
                defects.fatal(path, "duplicate-key", value, "the key \"" + key + "\" is a duplicate in its object");
            } else {
                object.set(key, value);
            }
        }
        return object;
    }

    private JsonNode array() throws IOException {
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value());
        }
        return array;
    }

    private JsonNode text() throws IOException {
        JsonNode text = NODES.textNode(parser.getText());
        if (!JsonText.isUnicode(text.textValue())) {
            String rule = "has an unpaired surrogate, which is not valid Unicode; it cannot be written";
            defects.warning(place(), "broken-text", text, rule);
        }
        return text;
    }

    private JsonNode decimal() throws IOException {
        if (parser.isNaN()) {
            JsonNode seen = NODES.textNode(parser.getText());
            defects.fatal(place(), NON_FINITE, seen, "is not JSON: a number must be finite");
            return NODES.numberNode(parser.getDoubleValue());
        }
        double value = parser.getDoubleValue();
        return Double.isFinite(value) ? NODES.numberNode(value) : NODES.numberNode(parser.getDecimalValue());
    }

    private String place() {
        return pointerOf(parser).substring(prefix);
    }

    private static String pointerOf(JsonParser parser) {
        return (parser.currentToken().isStructStart()
                        ? parser.getParsingContext().getParent()
                        : parser.getParsingContext())
                .pathAsPointer()
                .toString();
    }
}
