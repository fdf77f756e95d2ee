package dev.prpf.base.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.comments.CommentLine;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;

/** Makes the JSON Schema of a configuration: keys and types of its record, defaults and comments of its default file. */
public final class ConfigSchema {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private static final Map<Class<?>, String> TYPES = Map.of(
            int.class, "integer",
            Integer.class, "integer",
            long.class, "integer",
            Long.class, "integer",
            double.class, "number",
            Double.class, "number",
            boolean.class, "boolean",
            Boolean.class, "boolean",
            JsonNode.class, "object");

    private ConfigSchema() {}

    /** Returns the schema as indented JSON. */
    public static String of(Class<? extends Record> type) {
        ObjectNode schema = JSON.objectNode().put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.setAll(section(type, StrictYaml.defaults(type)));
        for (String key : StrictYaml.required(type)) {
            ObjectNode section = schema;
            for (String part : key.split("\\.", -1)) {
                section.withArray("/required").add(part);
                section = section.withObject("/properties/" + part);
            }
        }
        return schema.toPrettyString();
    }

    private static ObjectNode section(Class<?> type, @Nullable MappingNode defaults) {
        ObjectNode schema = JSON.objectNode().put("type", "object").put("additionalProperties", false);
        ObjectNode properties = schema.putObject("properties");
        for (RecordComponent component : type.getRecordComponents()) {
            String key = RecordBinder.key(component);
            NodeTuple known = defaults == null
                    ? null
                    : defaults.getValue().stream()
                            .filter(tuple -> StrictYaml.keyOf(tuple).equals(key))
                            .findFirst()
                            .orElse(null);
            Node value = known == null ? null : known.getValueNode();
            ObjectNode property = property(component.getGenericType(), value);
            if (component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                property = nullable(property);
            }
            describe(property, known);
            properties.set(key, property);
        }
        return schema;
    }

    private static ObjectNode property(Type type, @Nullable Node value) {
        if (type instanceof ParameterizedType generic) {
            Type[] inner = generic.getActualTypeArguments();
            ObjectNode schema = JSON.objectNode().put("type", inner.length == 1 ? "array" : "object");
            schema.set(inner.length == 1 ? "items" : "additionalProperties", property(inner[inner.length - 1], null));
            return schema;
        }
        Class<?> raw = (Class<?>) type;
        if (raw.isRecord()) {
            return section(raw, value instanceof MappingNode mapping ? mapping : StrictYaml.defaults(raw));
        }
        ObjectNode schema = JSON.objectNode();
        if (raw.isEnum()) {
            ArrayNode names = schema.putArray("enum");
            for (Object constant : raw.getEnumConstants()) {
                names.add(EnumName.of((Enum<?>) constant));
            }
            return schema;
        }
        return schema.put("type", TYPES.getOrDefault(raw, "string"));
    }

    private static ObjectNode nullable(ObjectNode property) {
        ObjectNode either = JSON.objectNode();
        either.putArray("anyOf").add(property).add(JSON.objectNode().put("type", "null"));
        return either;
    }

    /** Adds the default of a value that is not a section, and the comment at the end of its line. */
    private static void describe(ObjectNode property, @Nullable NodeTuple known) {
        if (known == null) {
            return;
        }
        boolean section = property.has("properties") || property.has("anyOf");
        if (!section || !(known.getValueNode() instanceof MappingNode)) {
            property.set("default", new RecordBinder("", Set.of()).json("", known.getValueNode()));
        }
        if (known.getValueNode().getInLineComments() != null) {
            StringBuilder text = new StringBuilder();
            for (CommentLine line : known.getValueNode().getInLineComments()) {
                text.append(line.getValue());
            }
            property.put("description", text.toString().strip());
        }
    }
}
