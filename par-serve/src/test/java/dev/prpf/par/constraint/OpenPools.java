package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.io.FunctionPoolFile;
import java.util.ArrayList;
import java.util.List;

/** Pools that leave much open. */
final class OpenPools {
    private static final String[] TYPES = {"string", "int", "bool", "list", "dict"};

    private OpenPools() {}

    /** By name: dict (one function with one open object), basic (every type), many (60 functions of 30 parameters) or shipped. */
    static List<FunctionSpec> named(String name) {
        return switch (name) {
            case "dict" -> List.of(function("f", parameter("options", "dict", true)));
            case "basic" -> List.of(basic());
            case "many" -> many();
            case "shipped" -> List.copyOf(FunctionPoolFile.shipped().functions());
            default -> throw new IllegalArgumentException("no pool " + name + "; dict, basic, many or shipped");
        };
    }

    /** Returns one function with one parameter of these texts. */
    static List<FunctionSpec> enumerated(String... texts) {
        List<JsonNode> values = new ArrayList<>();
        for (String text : texts) {
            values.add(TextNode.valueOf(text));
        }
        return List.of(function("f", new ParameterSpec("a", "", "string", true, values, null)));
    }

    private static FunctionSpec basic() {
        return function(
                "f",
                parameter("a", "string", true),
                parameter("b", "int", false),
                parameter("c", "bool", true),
                parameter("d", "list", true),
                parameter("e", "dict", false));
    }

    private static List<FunctionSpec> many() {
        List<FunctionSpec> functions = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            ParameterSpec[] parameters = new ParameterSpec[30];
            for (int j = 0; j < parameters.length; j++) {
                parameters[j] = parameter("p" + j, TYPES[j % TYPES.length], j % 3 == 0);
            }
            functions.add(function("fn" + i, parameters));
        }
        return functions;
    }

    private static FunctionSpec function(String name, ParameterSpec... parameters) {
        return new FunctionSpec(name, "", List.of(), List.of(parameters));
    }

    private static ParameterSpec parameter(String name, String type, boolean required) {
        return new ParameterSpec(name, "", type, required, null, null);
    }
}
