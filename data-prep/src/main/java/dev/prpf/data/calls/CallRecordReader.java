package dev.prpf.data.calls;

import static dev.prpf.data.calls.CallRecordReader.require;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.calls.CallRecord.AcceptedCall;
import dev.prpf.data.io.JsonText;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads records as JSON Lines: {@code {"id", "question": [[{"role": "user", "content"}…]], "function": [schema…]}}, and their
 * answers, {@code {"id", "ground_truth": [{function: {parameter: [accepted…]}}…]}}. Further keys are ignored.
 */
public final class CallRecordReader {
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private CallRecordReader() {}

    /**
     * The line of a record or of an answer.
     *
     * @param place its location for messages
     */
    public record Source(String place, String text) implements Serializable {
        /**
         * Returns the line's id.
         *
         * @throws PrpfException 65 for invalid JSON or a missing id
         */
        public String id() {
            return line().read(CallRecordReader::id);
        }

        private Line line() {
            return new Line(place, json(place, text));
        }
    }

    private record Line(String place, JsonNode json) {
        /** Reads the line; errors name its location. */
        <T> T read(Function<JsonNode, T> reader) {
            try {
                return reader.apply(json);
            } catch (IllegalArgumentException e) {
                throw new InvalidDataException(place + ": is not a function-calling record: " + e.getMessage());
            }
        }
    }

    /**
     * Reads records with accepted calls.
     *
     * @param answers one line per record
     * @throws PrpfException 65, naming file, line and rule, for an invalid line, a duplicate or unpaired id, and an answer that
     *     does not fit the record's functions
     */
    public static List<CallRecord> read(Path questions, Path answers) {
        Map<String, Line> truths = lines(answers);
        Map<String, Line> records = lines(questions);
        truths.forEach((id, line) -> requireFound(records.containsKey(id), line, id, questions));
        records.forEach((id, line) -> requireFound(truths.containsKey(id), line, id, answers));
        return records(records, truths);
    }

    /**
     * Reads records without a fitting function.
     *
     * @throws PrpfException 65 as {@link #read}
     */
    public static List<CallRecord> readIrrelevant(Path questions) {
        return records(lines(questions), Map.of());
    }

    /**
     * Parses a record and its answer.
     *
     * @param answer its accepted calls, or null if no function fits
     * @throws PrpfException 65, naming location and rule, if record or answer are invalid
     */
    public static CallRecord parse(Source question, @Nullable Source answer) {
        return record(question.id(), question.line(), answer == null ? null : answer.line());
    }

    private static void requireFound(boolean found, Line line, String id, Path other) {
        if (!found) {
            throw unpaired(line.place(), id, other.toString());
        }
    }

    /**
     * Returns the error for a record without an answer, or an answer without a record.
     *
     * @param place the location of the line
     * @param other the file or files that lack its counterpart
     */
    public static PrpfException unpaired(String place, String id, String other) {
        return new InvalidDataException(place + ": id \"" + id + "\" is missing in " + other
                + "; each record needs its answer and each answer its record");
    }

    private static List<CallRecord> records(Map<String, Line> lines, Map<String, Line> truths) {
        return lines.entrySet().stream()
                .map(line -> record(line.getKey(), line.getValue(), truths.get(line.getKey())))
                .toList();
    }

    private static CallRecord record(String id, Line line, @Nullable Line truth) {
        Map<String, FunctionSpec> functions = new LinkedHashMap<>();
        List<String> requests = line.read(json -> {
            JsonNode schemas = json.path("function");
            require(schemas.isArray() && !schemas.isEmpty(), "\"function\" must be a list of at least one function");
            schemas.forEach(schema -> {
                FunctionSpec function = FunctionSchema.read(schema);
                require(
                        functions.put(function.name(), function) == null,
                        "function " + function.name()
                                + " is a duplicate; the functions of a record must have unique names");
            });
            return requests(json.path("question"));
        });
        List<AcceptedCall> accepted =
                truth == null ? List.of() : truth.read(json -> accepted(json.path("ground_truth"), functions));
        return new CallRecord(id, requests, List.copyOf(functions.values()), accepted);
    }

    private static List<String> requests(JsonNode question) {
        require(
                question.isArray() && question.size() == 1 && question.get(0).isArray(),
                "\"question\" must hold one turn, [[{\"role\": \"user\", \"content\": …}]]; records of several turns"
                        + " are not read");
        List<String> requests = new ArrayList<>();
        for (JsonNode message : question.get(0)) {
            require(
                    message.path("role").asText().equals("user")
                            && message.path("content").isTextual()
                            && !message.path("content").textValue().isBlank(),
                    "a message must be {\"role\": \"user\", \"content\": text}, is " + JsonText.abbreviate(message));
            requests.add(message.path("content").textValue().strip());
        }
        require(!requests.isEmpty(), "\"question\" has no message");
        return requests;
    }

    private static List<AcceptedCall> accepted(JsonNode truth, Map<String, FunctionSpec> functions) {
        require(
                truth.isArray() && !truth.isEmpty(),
                "\"ground_truth\" must be a list of at least one call; give records without any as irrelevant ones");
        List<AcceptedCall> calls = new ArrayList<>();
        for (JsonNode call : truth) {
            require(
                    call.isObject()
                            && call.size() == 1
                            && call.elements().next().isObject(),
                    "a call must be {function: {parameter: [accepted…]}}, is " + JsonText.abbreviate(call));
            Map.Entry<String, JsonNode> entry = call.properties().iterator().next();
            FunctionSpec function = functions.get(entry.getKey());
            require(
                    function != null,
                    "calls \"" + entry.getKey() + "\", which is not one of the record's functions "
                            + functions.keySet());
            Map<String, JsonNode> values = new LinkedHashMap<>();
            entry.getValue().properties().forEach(value -> values.put(value.getKey(), value.getValue()));
            calls.add(new AcceptedCall(Objects.requireNonNull(function), values));
        }
        return calls;
    }

    private static Map<String, Line> lines(Path file) {
        List<String> texts = IoFailure.whileReading(file, () -> Files.readAllLines(file, StandardCharsets.UTF_8));
        Map<String, Line> lines = new LinkedHashMap<>();
        for (int i = 0; i < texts.size(); i++) {
            if (!texts.get(i).isBlank()) {
                String place = file + ":" + (i + 1);
                Line line = new Line(place, json(place, texts.get(i)));
                String id = line.read(CallRecordReader::id);
                if (lines.put(id, line) != null) {
                    throw twice(place, id);
                }
            }
        }
        if (lines.isEmpty()) {
            throw none(file.toString());
        }
        return lines;
    }

    /** Returns the error for a duplicate id. */
    public static PrpfException twice(String place, String id) {
        return new InvalidDataException(place + ": id \"" + id + "\" is a duplicate");
    }

    /** Returns the error for a file without lines. */
    public static PrpfException none(String file) {
        return new InvalidDataException(file + ": holds no function-calling records");
    }

    private static JsonNode json(String place, String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(place + ": is not JSON: " + e.getOriginalMessage()
                    + "; the file must hold JSON Lines, one record a line");
        }
    }

    private static String id(JsonNode json) {
        require(
                json.path("id").isTextual() && !json.path("id").textValue().isBlank(),
                "\"id\" = " + json.get("id") + ", must be a string that is not blank");
        return json.path("id").textValue();
    }

    /** @throws IllegalArgumentException with the rule, if it does not hold */
    static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }

    /**
     * Reads a function described by a JSON schema. Types are converted to the pool's: {@code integer} is {@code int}, {@code boolean}
     * {@code bool}, {@code array} and {@code tuple} {@code list}, {@code object} {@code dict}, {@code number} {@code float};
     * {@code float} and {@code any} stay. Defaults, formats and the fields of dicts are dropped.
     */
    public static final class FunctionSchema {
        private static final Map<String, String> TYPES = new TreeMap<>(Map.ofEntries(
                Map.entry("string", "string"),
                Map.entry("integer", "int"),
                Map.entry("boolean", "bool"),
                Map.entry("array", "list"),
                Map.entry("tuple", "list"),
                Map.entry("dict", "dict"),
                Map.entry("object", "dict"),
                Map.entry("float", "float"),
                Map.entry("number", "float"),
                Map.entry("any", "any")));

        private FunctionSchema() {}

        /**
         * Reads a function from its schema.
         *
         * @throws IllegalArgumentException naming the defect of an invalid function
         */
        public static FunctionSpec read(JsonNode json) {
            require(json.isObject(), "a function must be an object, is " + JsonText.abbreviate(json));
            String name = json.path("name").asText();
            require(
                    json.path("name").isTextual() && !name.isBlank(),
                    "a function's \"name\" = " + json.get("name") + ", must be a string that is not blank");
            require(
                    JsonText.isUnicode(name),
                    "function " + json.get("name") + ": its name has an unpaired surrogate, so no model can write it");
            JsonNode parameters = json.path("parameters");
            JsonNode properties = parameters.path("properties");
            require(
                    parameters.isObject() && properties.isObject(),
                    "function " + name
                            + ": \"parameters\" must be {\"type\": \"dict\", \"properties\": {…}, \"required\": […]}");
            Set<String> required = required(name, parameters.path("required"), properties);
            List<ParameterSpec> specs = properties
                    .propertyStream()
                    .map(property -> parameter(
                            name, property.getKey(), property.getValue(), required.contains(property.getKey())))
                    .toList();
            return new FunctionSpec(name, text(json.path("description")), List.of(), specs);
        }

        private static Set<String> required(String function, JsonNode names, JsonNode properties) {
            require(
                    names.isMissingNode() || names.isArray(),
                    "function " + function + ": \"required\" = " + JsonText.abbreviate(names)
                            + ", must be a list of parameters' names");
            Set<String> required = new LinkedHashSet<>();
            for (JsonNode name : names) {
                require(
                        name.isTextual() && properties.has(name.textValue()),
                        "function " + function + ": \"required\" names " + name
                                + ", which is not one of its parameters");
                required.add(name.textValue());
            }
            return required;
        }

        private static ParameterSpec parameter(String function, String name, JsonNode json, boolean required) {
            String type = TYPES.get(json.path("type").asText());
            if (type == null) {
                throw new IllegalArgumentException("function " + function + ": parameter \"" + name + "\" has type "
                        + json.get("type") + ", known are " + TYPES.keySet());
            }
            JsonNode values = type.equals("list") && !json.has("enum")
                    ? json.path("items").path("enum")
                    : json.path("enum");
            require(
                    JsonText.isUnicode(name) && JsonText.isUnicode(values.toString()),
                    "function " + function + ": the name or the values of its parameter \"" + name
                            + "\" have an unpaired surrogate, so no model can write them");
            return new ParameterSpec(
                    name,
                    text(json.path("description")),
                    type,
                    required,
                    values.isEmpty() ? null : values.valueStream().toList(),
                    null);
        }

        private static String text(JsonNode json) {
            return json.isTextual() ? json.textValue() : "";
        }
    }
}
