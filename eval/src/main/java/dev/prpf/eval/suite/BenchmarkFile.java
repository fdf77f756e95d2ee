package dev.prpf.eval.suite;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A JSON file of a benchmark, read strictly: what is not as it should be leaves with 65 and names file, place, value and rule.
 *
 * @param path the file
 * @param source where its right version comes from
 */
record BenchmarkFile(Path path, String source) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /**
     * The file's tree.
     *
     * @throws PrpfException 69 if the file is missing, 65 if it is no JSON
     */
    JsonNode tree() {
        if (!Files.isRegularFile(path)) {
            throw new UnavailableException(path + " is missing; get the data of " + source
                    + " and name their folder with --data (or the system property prpf.testdata)");
        }
        try {
            return JSON.readTree(Files.readString(path, StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw bad(
                    "line " + (e.getLocation() == null ? 0 : e.getLocation().getLineNr()),
                    "is no JSON (" + e.getOriginalMessage() + ")");
        } catch (IOException e) {
            throw bad("as a whole", "cannot be read as UTF-8 text (" + e + ")");
        }
    }

    /** The error that something at this place breaks a rule. */
    PrpfException bad(String place, String what) {
        return new InvalidDataException(path + " at " + place + ": " + what + "; use the files of " + source);
    }

    /** A text field of an object. */
    String text(JsonNode object, String field, String place) {
        JsonNode value = object.path(field);
        if (!value.isTextual()) {
            throw bad(place + "/" + field, "is " + shown(value) + ", must be a text");
        }
        return value.textValue();
    }

    /** What an error message shows of a value. */
    static String shown(JsonNode value) {
        String text = value.isMissingNode() ? "missing" : value.toString();
        return text.length() > 80 ? text.substring(0, 80) + "…" : text;
    }
}
