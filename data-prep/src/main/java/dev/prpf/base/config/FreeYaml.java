package dev.prpf.base.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** The parts of a configuration whose keys are not ours to know, such as a server's own fields: YAML as JSON, and back. */
final class FreeYaml {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Defects defects;

    FreeYaml(Defects defects) {
        this.defects = defects;
    }

    /** The node's value, or null where a defect was noted. */
    @Nullable
    JsonNode json(String key, Node node) {
        if (node instanceof MappingNode mapping) {
            return object(key, mapping);
        }
        if (node instanceof SequenceNode sequence) {
            ArrayNode array = JSON.arrayNode();
            for (Node child : sequence.getValue()) {
                JsonNode value = json(key + "[" + array.size() + "]", child);
                if (value == null) {
                    return null;
                }
                array.add(value);
            }
            return array;
        }
        return scalar(key, (ScalarNode) node);
    }

    private @Nullable JsonNode object(String key, MappingNode mapping) {
        ObjectNode object = JSON.objectNode();
        for (NodeTuple tuple : mapping.getValue()) {
            String name = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
            JsonNode value = json(key + "." + name, tuple.getValueNode());
            if (value == null) {
                return null;
            }
            if (object.has(name)) {
                defects.add(tuple.getKeyNode(), key + "." + name, "stands twice");
                return null;
            }
            object.set(name, value);
        }
        return object;
    }

    private @Nullable JsonNode scalar(String key, ScalarNode node) {
        String text = node.getValue();
        Tag tag = node.getTag();
        if (!node.isPlain() || tag.equals(Tag.STR)) {
            return JSON.textNode(text);
        }
        try {
            if (tag.equals(Tag.NULL)) {
                return JSON.nullNode();
            }
            if (tag.equals(Tag.BOOL) && text.matches("true|false")) {
                return JSON.booleanNode(Boolean.parseBoolean(text));
            }
            if (tag.equals(Tag.INT)) {
                return JSON.numberNode(new BigInteger(text.replace("_", "")));
            }
            if (tag.equals(Tag.FLOAT)) {
                return JSON.numberNode(new BigDecimal(text.replace("_", "")));
            }
        } catch (NumberFormatException noJsonNumber) {
            // Told below with what else JSON has no value for.
        }
        defects.add(node, key, "is \"" + text + "\", which JSON has no value for; quote it if it is a text");
        return null;
    }
}
