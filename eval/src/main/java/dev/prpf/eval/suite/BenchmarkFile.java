package dev.prpf.eval.suite;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.lang3.StringUtils;

/** Reads a JSON file of a benchmark strictly. An error (65) names file, location, value, rule and source. */
public record BenchmarkFile(Path path, Suite.DataSource source) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final int SHOWN = 80;

    public JsonNode tree() {
        return parse(text(), 0);
    }

    /** Reads one value per line. */
    public List<JsonNode> lines() {
        List<JsonNode> lines = new ArrayList<>();
        text().lines().forEach(line -> lines.add(parse(line, lines.size())));
        return lines;
    }

    private String text() {
        try {
            return Files.readString(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw bad("as a whole", "cannot be read as UTF-8 text (" + e + ")");
        }
    }

    private JsonNode parse(String text, int linesBefore) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            throw bad("line " + (linesBefore + line), "is not JSON (" + e.getOriginalMessage() + ")");
        }
    }

    /** Returns the error for a broken rule at a location. */
    public PrpfException bad(String place, String what) {
        return new InvalidDataException(path + " at " + place + ": " + what + "; use the files of " + source);
    }

    /** Throws for a value that breaks a rule. */
    public void require(boolean holds, String place, JsonNode value, String rule) {
        if (!holds) {
            throw bad(place, "is " + shown(value) + ", must be " + rule);
        }
    }

    /** Returns the beginning of a value for an error message. */
    static String shown(JsonNode value) {
        return StringUtils.abbreviate(value.isMissingNode() ? "missing" : value.toString(), "…", SHOWN + 1);
    }

    /** Returns a field that must be a string. */
    public String text(JsonNode object, String field, String place) {
        JsonNode value = object.path(field);
        require(value.isTextual(), place + "/" + field, value, "a text");
        return value.textValue();
    }

    /** Returns a string field that must not be blank. */
    public String words(JsonNode object, String field, String place, String what) {
        String text = text(object, field, place);
        if (text.isBlank()) {
            throw bad(place + "/" + field, "is blank, must say " + what);
        }
        return text;
    }
}
