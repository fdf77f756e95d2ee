package dev.prpf.base.json;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.type.LogicalType;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Executable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes records as JSON. Keys are the components in snake case and in order. A null component and a number that is not
 * finite are written as null: a missing metric is never 0. Unknown, missing and duplicate keys, wrong types and values that the
 * record's constructor rejects are errors. So is a null for a component, or in a list, unless the type is {@link Nullable}, a
 * {@code Double}, a {@code Float} or a {@link JsonNode}.
 */
public final class JsonRecords {
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .withCoercionConfig(LogicalType.Textual, text -> {
                text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
                text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
                text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
            })
            .annotationIntrospector(new NullsByType())
            .addModule(new SimpleModule()
                    .addSerializer(Double.class, new FiniteNumber<>(Double.class))
                    .addSerializer(double.class, new FiniteNumber<>(Double.class))
                    .addSerializer(Float.class, new FiniteNumber<>(Float.class))
                    .addSerializer(float.class, new FiniteNumber<>(Float.class)))
            .build();

    private JsonRecords() {}

    /** Refuses nulls where the type of a record's component, or of a list's elements, has none. */
    private static final class NullsByType extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public JsonSetter.Value findSetterInfo(Annotated annotated) {
            JsonSetter.Value own = super.findSetterInfo(annotated);
            if (own.getValueNulls() != Nulls.DEFAULT
                    || !(annotated instanceof AnnotatedParameter parameter)
                    || !parameter.getDeclaringClass().isRecord()) {
                return own;
            }
            Executable constructor = (Executable) parameter.getOwner().getMember();
            AnnotatedType type = constructor.getAnnotatedParameterTypes()[parameter.getIndex()];
            Nulls ofElements = List.class == parameter.getRawType() ? nulls(innermost(type)) : Nulls.DEFAULT;
            return JsonSetter.Value.construct(nulls(type), ofElements);
        }

        private static AnnotatedType innermost(AnnotatedType type) {
            AnnotatedType inner = type;
            while (inner instanceof AnnotatedParameterizedType generic) {
                AnnotatedType[] arguments = generic.getAnnotatedActualTypeArguments();
                inner = arguments[arguments.length - 1];
            }
            return inner;
        }

        private static Nulls nulls(AnnotatedType type) {
            if (type.getType() instanceof Class<?> of
                    && (of == Double.class || of == Float.class || JsonNode.class.isAssignableFrom(of))) {
                return Nulls.DEFAULT;
            }
            return type.isAnnotationPresent(Nullable.class) ? Nulls.SET : Nulls.FAIL;
        }
    }

    /** Writes a number that is not finite as null. */
    private static final class FiniteNumber<N extends Number> extends StdSerializer<N> {
        private static final long serialVersionUID = 1L;

        FiniteNumber(Class<N> type) {
            super(type);
        }

        @Override
        public void serialize(N value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            if (!Double.isFinite(value.doubleValue())) {
                generator.writeNull();
            } else if (value instanceof Float single) {
                generator.writeNumber(single);
            } else {
                generator.writeNumber(value.doubleValue());
            }
        }
    }

    /** Writes a record, map or list as one line, without the line terminator. */
    public static String write(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a value that cannot be written as JSON: " + value, e);
        }
    }

    /**
     * Writes a record with iterators piece by piece. Leaves the stream open, so that a failed output stays incomplete. An exception of an
     * iterator is rethrown unchanged; an {@link IOException} is a failure of the stream.
     */
    public static void write(OutputStream out, Object value) throws IOException {
        JsonGenerator generator = JSON.createGenerator(out);
        try {
            JSON.writeValue(generator, value);
        } catch (JsonMappingException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
        generator.flush();
    }

    /** Converts a value to a tree. */
    public static JsonNode tree(Object value) {
        return JSON.valueToTree(value);
    }

    /** Returns the numbers of an object in order under dotted keys such as {@code overall.sr}, without numbers in arrays. */
    public static Map<String, Double> numbers(JsonNode object) {
        Map<String, Double> found = new LinkedHashMap<>();
        collect("", object, found);
        return found;
    }

    private static void collect(String prefix, JsonNode node, Map<String, Double> found) {
        if (node.isNumber()) {
            found.put(prefix, node.doubleValue());
        } else if (node.isObject()) {
            String dotted = prefix.isEmpty() ? "" : prefix + ".";
            node.properties().forEach(child -> collect(dotted + child.getKey(), child.getValue(), found));
        }
    }

    /** Returns the characters of a text, and another value as JSON. */
    public static String text(JsonNode value) {
        return value.isTextual() ? value.textValue() : value.toString();
    }

    /** Collects the values of an object under dotted keys that begin with a key; empty for none. A list is one value. */
    public static void texts(String key, JsonNode value, Map<String, String> into) {
        if (value.isObject()) {
            String dotted = key.isEmpty() ? "" : key + ".";
            value.properties().forEach(child -> texts(dotted + child.getKey(), child.getValue(), into));
        } else if (!value.isMissingNode()) {
            into.put(key, text(value));
        }
    }

    /**
     * Reads a record, or a sealed interface of records with its Jackson type information, from JSON.
     *
     * @param place the source of the text, for messages
     * @param what the kind of record, for messages: "rollout group"
     * @param optional keys that may be missing and then are null; {@code a.b} for a key of a nested record, or of the records of a list
     * @throws InvalidDataException if the text is not such a record
     */
    public static <T> T read(String place, String what, String text, Class<T> type, String... optional) {
        try {
            T record = optional.length == 0
                    ? JSON.readValue(text, type)
                    : JSON.treeToValue(withNulls(JSON.readTree(text), optional), type);
            if (record == null) {
                throw new InvalidDataException(place + ": is no " + what + ": null");
            }
            return record;
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(place + ": is no " + what + ": " + why(e));
        }
    }

    private static JsonNode withNulls(JsonNode tree, String... optional) {
        if (tree.isArray()) {
            tree.forEach(element -> withNulls(element, optional));
        } else if (tree instanceof ObjectNode object) {
            for (String key : optional) {
                String[] place = key.split("\\.", 2);
                if (place.length == 1) {
                    object.putIfAbsent(key, object.nullNode());
                } else {
                    withNulls(object.path(place[0]), place[1]);
                }
            }
        }
        return tree;
    }

    /** Returns the key and the broken rule. */
    private static String why(JsonProcessingException error) {
        if (error instanceof ValueInstantiationException && error.getCause() instanceof IllegalArgumentException rule) {
            return String.valueOf(rule.getMessage());
        }
        if (error instanceof InvalidNullException missing) {
            String place = missing.getPath().stream()
                    .map(at -> at.getFieldName() == null ? "[" + at.getIndex() + "]" : "." + at.getFieldName())
                    .collect(Collectors.joining());
            return place.replaceFirst("^\\.", "") + " = null, must have a value";
        }
        if (error instanceof UnrecognizedPropertyException unknown) {
            return "Unrecognized field \"" + unknown.getPropertyName() + "\"; known are "
                    + unknown.getKnownPropertyIds().stream()
                            .map(String::valueOf)
                            .sorted()
                            .toList();
        }
        if (error instanceof InvalidTypeIdException unknown) {
            String known =
                    unknown.getOriginalMessage().replaceFirst("(?s).*known type ids = \\[([^]]*)].*", "one of $1");
            return unknown.getTypeId() == null
                    ? "the key of its kind is missing"
                    : "is of kind \"" + unknown.getTypeId() + "\", must be " + known;
        }
        String key = error instanceof JsonMappingException mapping
                        && !mapping.getPath().isEmpty()
                ? "\"" + mapping.getPath().get(0).getFieldName() + "\": "
                : "";
        return key + error.getOriginalMessage().replaceFirst("; `DeserializationFeature.*", "");
    }
}
