package dev.prpf.base.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.Suggestion;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Binds YAML nodes to records. A method that returns null has recorded a defect. */
final class RecordBinder {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The booleans of a configuration. The words yes and on of YAML 1.1 are not accepted. */
    private static final String BOOLEAN = "(?i)true|false";

    private static final Map<Class<?>, String> EXPECTED = Map.of(
            int.class, "an integer",
            long.class, "an integer",
            double.class, "a number",
            boolean.class, "true or false",
            Path.class, "a path",
            List.class, "a list",
            Map.class, "a mapping",
            JsonNode.class, "a mapping");

    private final String name;
    private final Set<Node> lines;
    private final List<String> defects = new ArrayList<>();

    /** Creates a binder; only these nodes have lines in the text. */
    RecordBinder(String name, Set<Node> lines) {
        this.name = name;
        this.lines = lines;
    }

    /**
     * Returns the record that a configuration describes.
     *
     * @throws InvalidConfigurationException with every defect, one a line
     */
    <T extends Record> T bind(MappingNode root, Class<T> type) {
        T value = bind("", root, type);
        if (value == null) {
            throw new InvalidConfigurationException(String.join("\n       ", defects));
        }
        return value;
    }

    static String key(RecordComponent component) {
        return KebabCaseStrategy.INSTANCE.translate(component.getName());
    }

    private void defect(Node where, String key, String rule) {
        String line = lines.contains(where) ? ":" + (where.getStartMark().getLine() + 1) : "";
        defects.add(name + line + ": " + (key.isEmpty() ? "" : key + ": ") + rule);
    }

    private <T extends Record> @Nullable T bind(String prefix, MappingNode mapping, Class<T> type) {
        RecordComponent[] components = type.getRecordComponents();
        List<String> known = Arrays.stream(components).map(RecordBinder::key).toList();
        Map<String, Node> values = keys(prefix, mapping, known);
        Object[] arguments = new Object[components.length];
        boolean whole = values.size() == mapping.getValue().size();
        for (int i = 0; i < components.length; i++) {
            String key = known.get(i);
            Node node = values.get(key);
            if (node == null) {
                boolean sparse = type.isAnnotationPresent(Defaults.Sparse.class);
                boolean absent = sparse && isNullable(components[i]);
                arguments[i] = sparse && !absent ? empty(prefix + key, mapping, components[i].getType()) : null;
                if (arguments[i] == null && !absent) {
                    defect(mapping, prefix + key, "is missing (" + expected(components[i].getGenericType()) + ")");
                    whole = false;
                }
            } else if (isNull(node)) {
                whole &= allowsNull(prefix + key, node, components[i]);
            } else {
                arguments[i] = value(prefix + key, node, components[i].getGenericType());
                whole &= arguments[i] != null;
            }
        }
        return whole ? construct(prefix, mapping, type, arguments) : null;
    }

    private Map<String, Node> keys(String prefix, MappingNode mapping, List<String> known) {
        Map<String, Node> values = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            String key = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
            if (!known.contains(key)) {
                defect(tuple.getKeyNode(), prefix + key, "is not a known key" + Suggestion.hint(key, known));
            } else if (values.putIfAbsent(key, tuple.getValueNode()) != null) {
                defect(tuple.getKeyNode(), prefix + key, "is a duplicate key");
            }
        }
        return values;
    }

    private static boolean isNull(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    private static boolean isNullable(RecordComponent component) {
        return component.getAnnotatedType().isAnnotationPresent(Nullable.class);
    }

    /** Returns the value of a key that a sparse record lacks; null if it has none. */
    private @Nullable Object empty(String key, Node where, Class<?> type) {
        if (type.isAnnotationPresent(Defaults.Sparse.class)) {
            MappingNode none = new MappingNode(Tag.MAP, true, List.of(), where.getStartMark(), null, FlowStyle.BLOCK);
            return bind(key + ".", none, type.asSubclass(Record.class));
        }
        return type == List.class ? List.of() : type == Map.class ? Map.of() : null;
    }

    private boolean allowsNull(String key, Node node, RecordComponent component) {
        if (isNullable(component)) {
            return true;
        }
        defect(node, key, "must not be null (" + expected(component.getGenericType()) + ")");
        return false;
    }

    private <T extends Record> @Nullable T construct(
            String prefix, MappingNode mapping, Class<T> type, Object[] arguments) {
        try {
            Class<?>[] types = Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            Constructor<T> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            if (e.getCause() instanceof IllegalArgumentException rule) {
                String key = prefix.isEmpty() ? "" : prefix.substring(0, prefix.length() - 1);
                defect(mapping, key, String.valueOf(rule.getMessage()));
                return null;
            }
            throw new IllegalStateException(type + " cannot be constructed", e);
        }
    }

    private @Nullable Object value(String key, Node node, Type type) {
        if (type instanceof ParameterizedType generic) {
            return generic.getRawType() == List.class
                    ? list(key, node, generic.getActualTypeArguments()[0])
                    : map(key, node, generic.getActualTypeArguments()[1]);
        }
        Class<?> raw = (Class<?>) type;
        if (raw == JsonNode.class) {
            return json(key, node);
        }
        if (raw.isRecord()) {
            if (node instanceof MappingNode mapping) {
                return bind(key + ".", mapping, raw.asSubclass(Record.class));
            }
            return mistyped(key, node, type);
        }
        return node instanceof ScalarNode scalar ? scalar(key, scalar, raw) : mistyped(key, node, type);
    }

    private @Nullable Object list(String key, Node node, Type element) {
        if (!(node instanceof SequenceNode sequence)) {
            return mistyped(key, node, List.class);
        }
        List<Object> values = new ArrayList<>();
        for (Node child : sequence.getValue()) {
            Object value = value(key + "[" + values.size() + "]", child, element);
            if (value == null) {
                return null;
            }
            values.add(value);
        }
        return List.copyOf(values);
    }

    private @Nullable Object map(String key, Node node, Type element) {
        if (!(node instanceof MappingNode mapping)) {
            return mistyped(key, node, Map.class);
        }
        Map<String, Object> values = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode scalar)) {
                return mistyped(key, tuple.getKeyNode(), String.class);
            }
            String name = scalar.getValue();
            Object value = value(key + "." + name, tuple.getValueNode(), element);
            if (value == null) {
                return null;
            }
            if (values.put(name, value) != null) {
                defect(tuple.getKeyNode(), key + "." + name, "is a duplicate key");
                return null;
            }
        }
        return values;
    }

    /** Reads a value with free keys, for example a server's own fields. */
    @Nullable
    JsonNode json(String key, Node node) {
        if (node instanceof ScalarNode scalar) {
            return jsonScalar(key, scalar);
        }
        Object value = node instanceof SequenceNode ? list(key, node, JsonNode.class) : map(key, node, JsonNode.class);
        return value == null ? null : JSON.valueToTree(value);
    }

    private @Nullable JsonNode jsonScalar(String key, ScalarNode node) {
        String text = node.getValue();
        Tag tag = node.getTag();
        JsonNodeFactory json = JsonNodeFactory.instance;
        if (!node.isPlain() || (tag.equals(Tag.STR) && !isExponent(text))) {
            return json.textNode(text);
        }
        try {
            if (isNull(node)) {
                return json.nullNode();
            }
            if (tag.equals(Tag.BOOL) && text.matches(BOOLEAN)) {
                return json.booleanNode(Boolean.parseBoolean(text));
            }
            if (tag.equals(Tag.INT)) {
                return integer(new BigInteger(text.replace("_", "")));
            }
            if (tag.equals(Tag.FLOAT) || isExponent(text)) {
                return decimal(new BigDecimal(text.replace("_", "")));
            }
        } catch (NumberFormatException noJsonNumber) {
            // Reported below, like every other value JSON cannot represent.
        }
        defect(node, key, "is \"" + text + "\", which JSON has no value for; quote it if it is a text");
        return null;
    }

    /** Returns the number as Jackson reads it from JSON, so that both are equal. */
    private static JsonNode integer(BigInteger number) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return number.bitLength() < Integer.SIZE
                ? json.numberNode(number.intValue())
                : number.bitLength() < Long.SIZE ? json.numberNode(number.longValue()) : json.numberNode(number);
    }

    private static JsonNode decimal(BigDecimal number) {
        double nearest = number.doubleValue();
        boolean exact = Double.isFinite(nearest) && new BigDecimal(Double.toString(nearest)).compareTo(number) == 0;
        return exact ? JsonNodeFactory.instance.numberNode(nearest) : JsonNodeFactory.instance.numberNode(number);
    }

    private @Nullable Object scalar(String key, ScalarNode node, Class<?> boxed) {
        Class<?> type = MethodType.methodType(boxed).unwrap().returnType();
        String text = node.getValue();
        boolean integer = node.getTag().equals(Tag.INT);
        try {
            if (type == int.class && integer) {
                return Integer.decode(text.replace("_", ""));
            }
            if (type == long.class && integer) {
                return Long.decode(text.replace("_", ""));
            }
            if (type == double.class && (integer || node.getTag().equals(Tag.FLOAT) || isExponent(text))) {
                double value = Double.parseDouble(text.replace("_", ""));
                return Double.isFinite(value) ? (Object) value : mistyped(key, node, type);
            }
        } catch (NumberFormatException e) {
            return mistyped(key, node, type);
        }
        if (type == boolean.class && node.getTag().equals(Tag.BOOL) && text.matches(BOOLEAN)) {
            return Boolean.valueOf(text);
        }
        if (type == String.class && (node.getTag().equals(Tag.STR) || !node.isPlain())) {
            return text;
        }
        if (type == Path.class && node.getTag().equals(Tag.STR) && text.indexOf('\0') < 0) {
            return Path.of(text);
        }
        return type.isEnum() ? constant(key, node, type) : mistyped(key, node, type);
    }

    // YAML 1.1 reads 1e-4 as a string; the user means the number.
    static boolean isExponent(String text) {
        return text.matches("[-+]?\\d+(\\.\\d*)?[eE][-+]?\\d+");
    }

    private @Nullable Object constant(String key, ScalarNode node, Class<?> type) {
        Optional<?> constant = Arrays.stream(type.getEnumConstants())
                .filter(one -> name(one).equals(node.getValue()))
                .findFirst();
        return constant.isPresent() ? constant.get() : mistyped(key, node, type);
    }

    static String name(Object constant) {
        return EnumName.of((Enum<?>) constant);
    }

    private @Nullable Object mistyped(String key, Node node, Type type) {
        String seen = node instanceof ScalarNode scalar ? "\"" + scalar.getValue() + "\"" : "a " + node.getNodeId();
        defect(node, key, "is " + seen + ", must be " + expected(type));
        return null;
    }

    private static String expected(Type type) {
        if (type instanceof ParameterizedType generic) {
            return generic.getRawType() == List.class ? "a list" : "a mapping";
        }
        Class<?> raw = MethodType.methodType((Class<?>) type).unwrap().returnType();
        if (raw.isEnum()) {
            return Arrays.stream(raw.getEnumConstants())
                    .map(RecordBinder::name)
                    .collect(Collectors.joining(", ", "one of ", ""));
        }
        return raw.isRecord() ? "a mapping" : EXPECTED.getOrDefault(raw, "a string");
    }
}
