package dev.prpf.eval.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.calls.CallRecordReader.FunctionSchema;
import dev.prpf.eval.suite.BenchmarkFile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the functions and schemas of a task, for the readers of all function-calling suites. */
final class TaskReading {
    private TaskReading() {}

    /**
     * Returns a task's functions for a reasoner. Descriptions of dict and list parameters end with the schema of their content,
     * if any, which is needed to name a dict's fields.
     *
     * @param schemas objects of {@code name}, {@code description} and {@code parameters}; of equal names the first counts
     * @throws dev.prpf.base.error.PrpfException 65 for an invalid schema, or an empty list
     */
    static List<FunctionSpec> functions(BenchmarkFile file, String place, JsonNode schemas) {
        file.require(schemas.isArray() && !schemas.isEmpty(), place, schemas, "a list of at least one function");
        Map<String, FunctionSpec> functions = new LinkedHashMap<>();
        for (int i = 0; i < schemas.size(); i++) {
            try {
                FunctionSpec function = FunctionSchema.read(schemas.get(i));
                functions.putIfAbsent(
                        function.name(), withInside(function, schemas.get(i).at("/parameters/properties")));
            } catch (IllegalArgumentException e) {
                throw file.bad(place + "/" + i, "is not a function schema: " + e.getMessage());
            }
        }
        return List.copyOf(functions.values());
    }

    private static FunctionSpec withInside(FunctionSpec function, JsonNode properties) {
        List<ParameterSpec> parameters = function.parameters().stream()
                .map(parameter -> withInside(parameter, properties.path(parameter.name())))
                .toList();
        return new FunctionSpec(function.name(), function.description(), function.similar(), parameters);
    }

    private static ParameterSpec withInside(ParameterSpec parameter, JsonNode schema) {
        JsonNode inside = schema.has("properties") ? schema.get("properties") : schema.path("items");
        return inside.isEmpty()
                ? parameter
                : new ParameterSpec(
                        parameter.name(),
                        (parameter.description() + " " + inside).strip(),
                        parameter.type(),
                        parameter.required(),
                        parameter.enumeration(),
                        parameter.structure());
    }

    /** Returns the parameters of the first schema with a name, or a missing node. */
    static JsonNode schema(JsonNode schemas, String name) {
        return schemas.valueStream()
                .filter(schema -> schema.path("name").asText().equals(name))
                .findFirst()
                .map(schema -> schema.path("parameters"))
                .orElse(MissingNode.getInstance());
    }

    static Map<String, JsonNode> fields(JsonNode object) {
        Map<String, JsonNode> fields = new LinkedHashMap<>();
        object.propertyStream().forEach(field -> fields.put(field.getKey(), field.getValue()));
        return fields;
    }

    /** Renames a field that has one of several names. */
    static void rename(ObjectNode object, List<String> from, String to) {
        for (String name : from) {
            JsonNode value = object.remove(name);
            if (value != null) {
                object.set(to, value);
            }
        }
    }
}
