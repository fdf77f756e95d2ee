package dev.prpf.par.reward;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.io.FunctionCallJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One response to reward: {@code {"id", "response": text}} or {@code {"id", "calls": [[call…]…]}}. Several lines may answer one sample, as
 * rollouts do.
 *
 * @param id of the sample it answers
 * @param response as the model wrote it, or null where only calls are known
 * @param calls one list a recommendation, none is silence; null where the response is known
 */
public record ResponseLine(String id, @Nullable String response, @Nullable List<List<FunctionCall>> calls) {
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final Set<String> KEYS = Set.of("id", "response", "calls");

    public ResponseLine {
        if ((response == null) == (calls == null)) {
            throw new IllegalArgumentException("a line has one of \"response\" and \"calls\"");
        }
        calls = calls == null ? null : calls.stream().map(List::copyOf).toList();
    }

    /**
     * Reads a file of JSON Lines; blank lines are passed over.
     *
     * @param gold ids that may be answered
     * @param goldSource where they came from, for the message
     * @throws PrpfException 65, naming file and line, for a line that is no response, an id that gold lacks, or a file without lines
     */
    public static List<ResponseLine> read(Path file, Set<String> gold, String goldSource) {
        List<String> texts = texts(file);
        List<ResponseLine> lines = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            if (!texts.get(i).isBlank()) {
                lines.add(of(file + ":" + (i + 1), texts.get(i), gold, goldSource));
            }
        }
        if (lines.isEmpty()) {
            throw new InvalidDataException(file + ": holds no responses, so there is nothing to reward");
        }
        return lines;
    }

    /**
     * Reads one line.
     *
     * @param place of the line, for the message
     * @throws PrpfException 65 as for a file
     */
    public static ResponseLine of(String place, String text, Set<String> gold, String goldSource) {
        ResponseLine line = parse(place, text);
        if (!gold.contains(line.id())) {
            throw new InvalidDataException(place + ": id \"" + line.id() + "\" is no sample's in " + goldSource
                    + "; reward responses against the samples they answer");
        }
        return line;
    }

    private static List<String> texts(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    private static ResponseLine parse(String place, String text) {
        try {
            return line(JSON.readTree(text));
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(place + ": is no JSON: " + e.getOriginalMessage());
        } catch (IllegalArgumentException | PrpfException e) {
            throw new InvalidDataException(place + ": is no response: " + e.getMessage());
        }
    }

    private static ResponseLine line(JsonNode json) {
        require(json.isObject(), "a line must be an object {\"id\", \"response\"} or {\"id\", \"calls\"}");
        json.fieldNames()
                .forEachRemaining(key -> require(
                        KEYS.contains(key), "unknown key \"" + key + "\"; known are \"id\", \"response\", \"calls\""));
        JsonNode id = json.path("id");
        require(id.isTextual() && !id.textValue().isBlank(), "\"id\" must be a string that is not blank");
        JsonNode calls = json.get("calls");
        JsonNode response = json.get("response");
        require(response == null || response.isTextual(), "\"response\" = " + response + ", must be a string");
        return new ResponseLine(
                id.textValue(),
                response == null ? null : response.textValue(),
                calls == null ? null : FunctionCallJson.readSequences(calls));
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }
}
