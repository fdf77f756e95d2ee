package dev.prpf.base.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.json.JsonRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads and writes small files of one JSON value. Further content and duplicate keys are errors. */
public final class JsonFile {
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private JsonFile() {}

    /**
     * Reads the value of a file.
     *
     * @return the value; a missing node for an empty file
     * @throws InvalidDataException naming file and location if it cannot be read
     */
    public static JsonNode read(Path file) {
        try {
            return JSON.readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(file + ": cannot be read as JSON: " + fault(e), e);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read as JSON: " + IoFailure.reason(e), e);
        }
    }

    /** Returns the fault of a JSON text after its line and column, without an excerpt of the text. */
    public static String fault(JsonProcessingException e) {
        String place = e.getLocation() == null
                ? ""
                : "line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ": ";
        return place + e.getOriginalMessage();
    }

    /**
     * Reads the object in a file.
     *
     * @throws InvalidDataException as {@link #read}, and for any other value
     */
    public static ObjectNode object(Path file) {
        if (read(file) instanceof ObjectNode object) {
            return object;
        }
        throw new InvalidDataException(file + ": must hold one JSON object");
    }

    /**
     * Reads a file with one record.
     *
     * @param what names the record in messages
     * @throws InvalidDataException if the file does not hold this record
     */
    public static <T extends Record> T record(Path file, String what, Class<T> type) {
        String text = IoFailure.whileReading("cannot read " + file, () -> Files.readString(file));
        return JsonRecords.read(file.toString(), what, text, type);
    }

    /** Writes a record on one line, atomically. */
    public static void write(Path file, Record record) {
        AtomicFiles.writeText(file, JsonRecords.write(record) + "\n");
    }

    /**
     * Reads a file with an array of strings.
     *
     * @throws InvalidDataException as {@link #read}, and for any other value
     */
    public static List<String> strings(Path file) {
        JsonNode array = read(file);
        if (!array.isArray()) {
            throw new InvalidDataException(file + ": must hold an array of strings, is " + array.getNodeType());
        }
        List<String> strings = new ArrayList<>();
        for (JsonNode element : array) {
            if (!element.isTextual()) {
                throw new InvalidDataException(
                        file + ": element " + strings.size() + " = " + element + ", must be a string");
            }
            strings.add(element.textValue());
        }
        return strings;
    }
}
