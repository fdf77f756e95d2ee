package dev.prpf.data.calls;

import static dev.prpf.data.calls.CallRecordReader.require;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.io.JsonText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads a function described by a JSON schema. Types are converted to the pool's: {@code integer} is {@code int}, {@code boolean}
 * {@code bool}, {@code array} and {@code tuple} {@code list}, {@code object} {@code dict}, {@code number} {@code float};
 * {@code float} and {@code any} stay. Defaults, formats and the fields of dicts are dropped.
 */
public final class FunctionSchema {
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
                .map(property ->
                        parameter(name, property.getKey(), property.getValue(), required.contains(property.getKey())))
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
                    "function " + function + ": \"required\" names " + name + ", which is not one of its parameters");
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
        JsonNode values =
                type.equals("list") && !json.has("enum") ? json.path("items").path("enum") : json.path("enum");
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
