package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Seeded random pools with every kind of parameter that a pool may describe. */
final class RandomPools {
    private static final String[] STRUCTURES = {
        "{\"a\":\"温度\",\"b\":\"int\",\"c\":[\"x\",\"y\"]}",
        "{\"a\":{\"type\":\"string\",\"must_fill\":\"required\",\"value\":\"non-enumerable\"},\"n\":{\"type\":\"int\",\"must_fill\":\"optional\"}}",
        "{\"inner\":{\"type\":\"dict\",\"must_fill\":\"required\",\"value\":{\"k\":\"bool\"}},\"l\":{\"type\":\"list\",\"value\":[\"p\",\"q\"]}}",
        "{\"<\\\"\":{\"type\":\"odd\"}}"
    };
    private static final String[] TYPES = {"string", "int", "bool", "list", "dict", "float", "odd"};

    private final Random random;

    RandomPools(long seed) {
        random = new Random(seed);
    }

    List<FunctionSpec> next() {
        List<FunctionSpec> functions = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            List<ParameterSpec> parameters = new ArrayList<>();
            for (int j = random.nextInt(5); j > 0; j--) {
                parameters.add(parameter("p" + "p".repeat(random.nextInt(2)) + j));
            }
            String name = random.nextInt(8) == 0 ? "功能\"<\\" + i : "f" + "f".repeat(random.nextInt(3)) + i;
            functions.add(new FunctionSpec(name, "", List.of(), parameters));
        }
        return functions;
    }

    private ParameterSpec parameter(String name) {
        String type = TYPES[random.nextInt(TYPES.length)];
        boolean required = random.nextBoolean();
        boolean structured = type.equals("dict") || (type.equals("list") && random.nextInt(3) == 0);
        JsonNode structure =
                structured && random.nextInt(4) > 0 ? json(STRUCTURES[random.nextInt(STRUCTURES.length)]) : null;
        List<JsonNode> enumeration = structure == null && random.nextBoolean() ? enumeration(type) : null;
        return new ParameterSpec(name, "", type, required, enumeration, structure);
    }

    private @Nullable List<JsonNode> enumeration(String type) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (type) {
            case "int" -> List.of(nodes.numberNode(1), nodes.textNode("12"), nodes.textNode("-3"), nodes.textNode("x"));
            case "bool" -> List.of(nodes.booleanNode(true));
            case "dict", "float" -> null;
            default ->
                List.of(nodes.textNode("on"), nodes.textNode("on off"), nodes.textNode("\"<\n"), nodes.textNode(""));
        };
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
