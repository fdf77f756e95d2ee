package dev.prpf.par.constraint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.par.constraint.JsonSchemaConstraints.Compiled;
import dev.prpf.par.constraint.States.State;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests of constraints over one small vocabulary. */
abstract class OnSmallVocabulary {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    @TempDir
    static Path directory;

    static Vocabulary vocabulary;
    static JsonSchemaConstraints constraints;

    @BeforeAll
    static void load() {
        vocabulary = new Vocabulary(directory, false, ConstraintSettings.DEFAULT);
        constraints = JsonSchemaConstraints.of(vocabulary.tokenizer, vocabulary.width, List.of(vocabulary.end));
    }

    @AfterAll
    static void close() {
        vocabulary.close();
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }

    /** Parses JSON with ' for ". */
    static JsonNode schema(String text) {
        return json(text.replace('\'', '"'));
    }

    /** How a constraint takes a text, byte by byte: "whole", "begun" where more must follow, or the text before the first byte that cannot come. */
    static String taken(Compiled compiled, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        State at = compiled.walker().state();
        for (int i = 0; i < bytes.length; i++) {
            State next = at.step(bytes[i] & 0xFF);
            if (next == null) {
                return new String(bytes, 0, i, StandardCharsets.UTF_8);
            }
            at = next;
        }
        return at.mayEnd() ? "whole" : "begun";
    }
}
