package dev.prpf.par.prompt;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ParameterSpec;
import java.util.stream.Collectors;

/** One function as text. */
final class PoolText {
    private PoolText() {}

    static String of(FunctionSpec function, PoolRendering rendering) {
        return switch (rendering) {
            case FULL -> full(function);
            case SIGNATURE -> signature(function);
            case COMPACT -> compact(function);
            case NAMES -> function.name();
        };
    }

    private static String compact(FunctionSpec function) {
        return function.parameters().stream()
                .filter(ParameterSpec::required)
                .map(ParameterSpec::name)
                .collect(Collectors.joining(",", function.name() + "(", ")"));
    }

    private static String signature(FunctionSpec function) {
        String parameters =
                function.parameters().stream().map(PoolText::typed).collect(Collectors.joining(", ", "(", ")"));
        return function.name()
                + parameters
                + (function.description().isBlank()
                        ? ""
                        : " " + function.description().strip());
    }

    private static String typed(ParameterSpec parameter) {
        String values = parameter.enumeration() == null
                ? ""
                : parameter.enumeration().stream()
                        .map(value -> value.isTextual() ? value.textValue() : value.toString())
                        .collect(Collectors.joining("|", "[", "]"));
        return parameter.name() + (parameter.required() ? "" : "?") + ": " + parameter.type() + values;
    }

    private static String full(FunctionSpec function) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("name", function.name())
                .put("description", function.description());
        ObjectNode parameters = json.putObject("parameters");
        for (ParameterSpec parameter : function.parameters()) {
            ObjectNode entry = parameters
                    .putObject(parameter.name())
                    .put("type", parameter.type())
                    .put("description", parameter.description())
                    .put("required", parameter.required());
            if (parameter.enumeration() != null) {
                ArrayNode values = entry.putArray("enum");
                parameter.enumeration().forEach(values::add);
            }
            if (parameter.structure() != null) {
                entry.set("structure", parameter.structure());
            }
        }
        return json.toString();
    }
}
