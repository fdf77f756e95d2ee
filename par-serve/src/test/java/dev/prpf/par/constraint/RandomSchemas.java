package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/** Schemas of the subset, of all its keywords. */
final class RandomSchemas {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String[] NAMES = {"a", "ab", "name", "的", "b c", "q\"", "<x>", "", "order_food"};
    private static final String[] PATTERNS = {
        "^[a-z]{2,5}$",
        "^a*ab$",
        "^(a|ab)(c|bcd)*$",
        "x",
        "^\\d{4}-\\d{2}$",
        "^[^a]+$",
        "^(\\w+\\.)?\\w+$",
        "的$",
        "^[\"\\\\<\\n]+$",
        "^[😀-😂é]+$",
        "a|^b$",
        "^(a?){3}b$"
    };

    private final Random random;

    RandomSchemas(long seed) {
        random = new Random(seed);
    }

    /** A schema with two targets that it may refer to, one of them in itself. */
    ObjectNode next() {
        ObjectNode schema = schema(3);
        ObjectNode targets = JSON.objectNode();
        targets.set("plain", plain());
        ObjectNode tree = JSON.objectNode().put("type", "object");
        ObjectNode fields = tree.putObject("properties");
        fields.set("value", plain());
        fields.putObject("children").put("type", "array").putObject("items").put("$ref", "#/$defs/tree");
        fields.putObject("next")
                .putArray("anyOf")
                .add(reference("tree"))
                .add(JSON.objectNode().put("type", "null"));
        tree.putArray("required").add("value");
        targets.set("tree", tree);
        schema.set("$defs", targets);
        return schema;
    }

    private static ObjectNode reference(String name) {
        return JSON.objectNode().put("$ref", "#/$defs/" + name);
    }

    private ObjectNode schema(int depth) {
        int kind = random.nextInt(depth == 0 ? 6 : 14);
        return switch (kind) {
            case 6 -> reference(random.nextBoolean() ? "plain" : "tree");
            case 7 -> union(depth - 1);
            case 8 -> array(depth - 1);
            case 9 -> JSON.objectNode().put("type", "object");
            case 10 -> tagged(depth - 1);
            case 11, 12, 13 -> object(depth - 1);
            default -> plain();
        };
    }

    private ObjectNode plain() {
        ObjectNode schema = JSON.objectNode();
        return switch (random.nextInt(8)) {
            case 0 -> schema.put("type", "string");
            case 1 ->
                schema.put("type", "string")
                        .put("minLength", random.nextInt(4))
                        .put("maxLength", 3 + random.nextInt(40));
            case 2 -> schema.put("type", "string").put("pattern", PATTERNS[random.nextInt(PATTERNS.length)]);
            case 3 -> schema.put("type", "integer").put("nullable", random.nextBoolean());
            case 4 -> schema.set("type", JSON.arrayNode().add("number").add("boolean"));
            case 5 -> {
                ArrayNode values = schema.putArray("enum");
                List.of("a", "ab", "a<b", "\n", "的").forEach(values::add);
                yield schema.set("enum", values.add(1).add(12).addNull());
            }
            case 6 -> schema.put("const", NAMES[random.nextInt(NAMES.length)]);
            default -> schema.put("description", "anything").put("title", "x");
        };
    }

    private ObjectNode object(int depth) {
        ObjectNode schema = JSON.objectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = schema.putArray("required");
        for (String name : NAMES) {
            if (random.nextInt(3) == 0) {
                properties.set(name, schema(depth));
                if (random.nextBoolean()) {
                    required.add(name);
                }
            }
        }
        return random.nextBoolean() ? schema.put("additionalProperties", false) : schema;
    }

    private ObjectNode array(int depth) {
        ObjectNode schema = JSON.objectNode().put("type", "array");
        if (random.nextBoolean()) {
            schema.putArray("prefixItems").add(schema(depth)).add(plain());
        }
        if (random.nextInt(3) > 0) {
            schema.set("items", random.nextInt(4) == 0 ? JSON.booleanNode(random.nextBoolean()) : schema(depth));
        }
        if (random.nextBoolean()) {
            schema.put("minItems", random.nextInt(3)).put("maxItems", 2 + random.nextInt(3));
        }
        return schema;
    }

    /** Objects that a property tells apart, two of them written alike before. */
    private ObjectNode tagged(int depth) {
        ObjectNode schema = JSON.objectNode();
        ArrayNode branches = schema.putArray("oneOf");
        for (String kind : List.of("walk", "wait", "w")) {
            ObjectNode branch = branches.addObject().put("type", "object");
            ObjectNode properties = branch.putObject("properties");
            properties.set("note", JSON.objectNode().put("type", "string").put("maxLength", 9));
            properties.set("kind", JSON.objectNode().put("const", kind));
            properties.set("value", depth == 0 ? JSON.objectNode().put("type", "integer") : plainOf(kind));
            branch.putArray("required").add("kind");
        }
        return schema;
    }

    private static ObjectNode plainOf(String kind) {
        return JSON.objectNode().put("type", kind.equals("walk") ? "integer" : "string");
    }

    private ObjectNode union(int depth) {
        ObjectNode schema = JSON.objectNode();
        ArrayNode branches = schema.putArray("anyOf");
        branches.add(JSON.objectNode().put("type", "string").put("pattern", "^a+b$"));
        branches.add(JSON.objectNode().put("type", "string").put("maxLength", 5));
        branches.add(
                random.nextBoolean()
                        ? JSON.objectNode().put("type", "null")
                        : JSON.objectNode().put("type", "integer"));
        branches.add(depth == 0 ? plain() : array(0).put("maxItems", 3));
        return schema;
    }
}
