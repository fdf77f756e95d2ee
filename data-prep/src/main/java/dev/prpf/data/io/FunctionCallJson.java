package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes calls and recommendations as JSON, in all their shapes.
 *
 * <p>Answers are a list of {@code {"instruction", "functions": [call…]}} (or the key {@code function}), a list of call lists
 * {@code [[call…]…]}, or one such object; a call is {@code {"name", "parameters": {…}}}. {@code []} is silence. Further keys are
 * ignored; nothing is coerced.
 */
public final class FunctionCallJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final List<String> CALL_KEYS = List.of("functions", "function");

    private FunctionCallJson() {}

    /**
     * A call and its location.
     *
     * @param path its JSON Pointer
     */
    public record LocatedCall(String path, FunctionCall call) {}

    /**
     * An answer and the locations of its calls.
     *
     * @param path its JSON Pointer
     * @param instruction the proposal; empty if the shape has none
     * @param calls its calls without defective ones
     */
    public record LocatedAnswer(String path, String instruction, List<LocatedCall> calls) {
        public Recommendation recommendation() {
            return new Recommendation(
                    instruction, calls.stream().map(LocatedCall::call).toList());
        }
    }

    /**
     * Reads a function call.
     *
     * @throws PrpfException 65 naming location, value and rule of an invalid call
     */
    public static FunctionCall readCall(JsonNode json) {
        List<Defect> defects = new ArrayList<>();
        LocatedCall call = readCall(json, "", defects::add);
        throwFirst("function call", defects);
        return Objects.requireNonNull(call).call();
    }

    /**
     * Reads call sequences {@code [[call…]…]}, one list per recommendation.
     *
     * @throws PrpfException 65 naming location, value and rule of an invalid sequence
     */
    public static List<List<FunctionCall>> readSequences(JsonNode json) {
        if (!json.isArray()) {
            throw new InvalidDataException("\"calls\" must be an array of call lists, is " + JsonText.abbreviate(json));
        }
        return readElements(json, "", (sequence, place) -> {
            if (!sequence.isArray()) {
                throw new InvalidDataException("\"calls\" must hold one array of calls per recommendation, at " + place
                        + " it has " + JsonText.abbreviate(sequence));
            }
            return sequence.valueStream().map(FunctionCallJson::readCall).toList();
        });
    }

    /** Deserializes a record's component by {@link #readSequences}. */
    public static final class CallSequences extends JsonDeserializer<List<List<FunctionCall>>> {
        @Override
        public List<List<FunctionCall>> deserialize(JsonParser parser, DeserializationContext context)
                throws IOException {
            return readSequences(context.readTree(parser));
        }
    }

    /**
     * Reads the answers of a record or of a response.
     *
     * @throws PrpfException 65 naming location, value and rule of an invalid answer
     */
    public static List<Recommendation> readAnswers(JsonNode json) {
        List<Defect> defects = new ArrayList<>();
        List<LocatedAnswer> answers = readAnswers(json, "", defects::add);
        throwFirst("recommendations", defects);
        return answers.stream().map(LocatedAnswer::recommendation).toList();
    }

    private static void throwFirst(String what, List<Defect> defects) {
        defects.stream().filter(Defect::isFatal).findFirst().ifPresent(defect -> {
            throw new InvalidDataException(what + ": " + defect.describe());
        });
    }

    /** Returns the valid answers; invalid ones are reported and omitted. */
    public static List<LocatedAnswer> readAnswers(JsonNode json, String path, Defect.Sink defects) {
        if (json.isObject()) {
            return Stream.ofNullable(readAnswer(json, path, defects)).toList();
        }
        return JsonFields.is(json, path, "array", defects)
                ? readElements(json, path, (answer, place) -> readAnswer(answer, place, defects))
                : List.of();
    }

    private static <T> List<T> readElements(
            JsonNode array, String path, BiFunction<JsonNode, String, @Nullable T> reader) {
        return IntStream.range(0, array.size())
                .mapToObj(i -> reader.apply(array.get(i), path + "/" + i))
                .flatMap(Stream::ofNullable)
                .toList();
    }

    private static @Nullable LocatedAnswer readAnswer(JsonNode json, String path, Defect.Sink defects) {
        if (json.isArray()) {
            return new LocatedAnswer(path, "", readCalls(json, path, defects));
        }
        List<String> keys = CALL_KEYS.stream().filter(json::has).toList();
        if (!json.isObject() || keys.size() != 1) {
            String shape = "must be {\"instruction\": …, \"functions\": [call…]} (or \"function\"), or a list of calls";
            defects.fatal(path, "answer-shape", json, shape);
            return null;
        }
        JsonFields fields = new JsonFields(json, path, defects);
        JsonNode calls = fields.required(keys.get(0), "array");
        String instruction = instruction(fields, calls);
        return calls == null || instruction == null
                ? null
                : new LocatedAnswer(path, instruction, readCalls(calls, fields.pathOf(keys.get(0)), defects));
    }

    /** Returns the instruction, which may be absent for silence. */
    private static @Nullable String instruction(JsonFields fields, @Nullable JsonNode calls) {
        boolean silence = calls != null && calls.isEmpty();
        boolean given = fields.object().hasNonNull("instruction");
        return silence && !given ? "" : fields.text("instruction");
    }

    private static List<LocatedCall> readCalls(JsonNode json, String path, Defect.Sink defects) {
        return readElements(json, path, (call, place) -> readCall(call, place, defects));
    }

    private static @Nullable LocatedCall readCall(JsonNode json, String path, Defect.Sink defects) {
        JsonFields fields = JsonFields.of(json, path, defects);
        if (fields == null) {
            return null;
        }
        String name = fields.text("name");
        JsonNode parameters = fields.required("parameters", "object");
        if (name != null && name.isBlank()) {
            fields.fatal("name", "blank-text", "a call must name a function of the pool");
        }
        if (name == null || name.isBlank() || parameters == null) {
            return null;
        }
        Map<String, JsonNode> values = new LinkedHashMap<>();
        parameters.properties().forEach(entry -> values.put(entry.getKey(), entry.getValue()));
        return new LocatedCall(path, new FunctionCall(name, values));
    }

    /** Returns the scalars inside a value in order: strings, numbers, booleans and nulls. */
    public static Stream<JsonNode> leaves(JsonNode value) {
        return value.isContainerNode() ? value.valueStream().flatMap(FunctionCallJson::leaves) : Stream.of(value);
    }

    /** Writes a call as {@code {"name": …, "parameters": {…}}}. */
    public static ObjectNode write(FunctionCall call) {
        ObjectNode json = NODES.objectNode().put("name", call.name());
        json.putObject("parameters").setAll(call.parameters());
        return json;
    }

    /** Writes calls as {@code [call…]}. */
    public static ArrayNode write(List<FunctionCall> calls) {
        return NODES.arrayNode()
                .addAll(calls.stream().map(FunctionCallJson::write).toList());
    }

    /** Writes a recommendation as {@code {"instruction": …, "functions": [call…]}}. */
    public static ObjectNode write(Recommendation recommendation) {
        ObjectNode json = NODES.objectNode().put("instruction", recommendation.instruction());
        return json.set("functions", write(recommendation.calls()));
    }
}
