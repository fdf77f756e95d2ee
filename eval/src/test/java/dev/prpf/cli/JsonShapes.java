package dev.prpf.cli;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.base.json.JsonRecords;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes the shape of a record's JSON: keys in order with their types, as {@link JsonRecords} writes them. */
final class JsonShapes {
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();
    private static final int WIDTH = 110;

    private JsonShapes() {}

    /** Returns the shape on lines of at most 110 characters where it can be broken. */
    static String of(Class<?> type) {
        return shape(JSON.constructType(type), "", new ArrayList<>());
    }

    private static String shape(JavaType type, String indent, List<JavaType> outer) {
        if (type.isMapLikeType()) {
            return "{" + key(type.getKeyType()) + ": " + shape(type.getContentType(), indent, outer) + ", …}";
        }
        if (type.isContainerType()) {
            return "[" + shape(type.getContentType(), indent, outer) + ", …]";
        }
        Class<?> raw = type.getRawClass();
        if (raw.isEnum()) {
            return Arrays.stream(raw.getEnumConstants()).map(JsonRecords::write).collect(Collectors.joining(" | "));
        }
        String simple = simple(raw);
        if (simple != null) {
            return simple;
        }
        BeanDescription bean = JSON.getSerializationConfig().introspect(type);
        if (bean.findJsonValueAccessor() != null) {
            return shape(bean.findJsonValueAccessor().getType(), indent, outer);
        }
        if (outer.contains(type)) {
            return raw.getSimpleName();
        }
        JsonFormat format = raw.getAnnotation(JsonFormat.class);
        if (format != null && format.shape() == JsonFormat.Shape.ARRAY) {
            return bean.findProperties().stream()
                    .map(BeanPropertyDefinition::getName)
                    .collect(Collectors.joining(", ", "[", "]"));
        }
        List<JavaType> path = new ArrayList<>(outer);
        path.add(type);
        List<String> keys = keys(bean, indent + "  ", path);
        String line = "{" + String.join(", ", keys) + "}";
        boolean fits = indent.length() + line.length() <= WIDTH && !line.contains("\n");
        return fits
                ? line
                : keys.stream()
                        .collect(Collectors.joining(",\n" + indent + "  ", "{\n" + indent + "  ", "\n" + indent + "}"));
    }

    private static String key(JavaType type) {
        return type.getRawClass() == Boolean.class ? "\"true\" | \"false\"" : "text";
    }

    private static @Nullable String simple(Class<?> raw) {
        if (raw == boolean.class || raw == Boolean.class) {
            return "true | false";
        } else if (raw == double.class || raw == Double.class || raw == float.class || raw == Float.class) {
            return "number";
        } else if (raw.isPrimitive() || Number.class.isAssignableFrom(raw)) {
            return "integer";
        } else if (CharSequence.class.isAssignableFrom(raw) || Path.class.isAssignableFrom(raw)) {
            return "text";
        }
        return raw == Object.class || JsonNode.class.isAssignableFrom(raw) ? "any" : null;
    }

    private static List<String> keys(BeanDescription bean, String indent, List<JavaType> path) {
        List<String> keys = new ArrayList<>();
        for (BeanPropertyDefinition property : bean.findProperties()) {
            AnnotatedMember member = property.getAccessor();
            if (member == null) {
                continue;
            }
            if (member.hasAnnotation(JsonUnwrapped.class)) {
                keys.addAll(keys(JSON.getSerializationConfig().introspect(member.getType()), indent, path));
            } else if (member.hasAnnotation(JsonAnyGetter.class)) {
                JavaType type = member.getType();
                keys.add(key(type.getKeyType()) + ": " + shape(type.getContentType(), indent, path) + ", …");
            } else {
                boolean optional = member.hasAnnotation(JsonInclude.class)
                        || bean.getBeanClass().isAnnotationPresent(JsonInclude.class);
                String nullable = isNullable(member.getAnnotated()) ? " | null" : "";
                String shape = shape(member.getType(), indent, path);
                keys.add('"'
                        + property.getName()
                        + '"'
                        + (optional ? "?: " : ": ")
                        + shape
                        + (optional ? "" : nullable));
            }
        }
        return keys;
    }

    private static boolean isNullable(AnnotatedElement element) {
        AnnotatedType type = element instanceof Method method
                ? method.getAnnotatedReturnType()
                : ((Field) element).getAnnotatedType();
        return type.isAnnotationPresent(Nullable.class);
    }
}
