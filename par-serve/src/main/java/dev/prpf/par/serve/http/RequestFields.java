package dev.prpf.par.serve.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/** The fields of one JSON object of a request, read one by one; JSON null counts as absent. Fields that were never read are unknown. */
public final class RequestFields {
    private static final int SHOWN = 60;

    private final String path;
    private final ObjectNode object;
    private final BodyJson json;
    private final Set<String> asked = new LinkedHashSet<>();

    /**
     * @param path of the object from the body's root, as {@code messages[0]}; empty for the root
     * @param json parses the texts of the body that hold JSON
     */
    RequestFields(String path, ObjectNode object, BodyJson json) {
        this.path = path;
        this.object = object;
        this.json = json;
    }

    /** Returns the object's own path; empty for the root. */
    public String path() {
        return path;
    }

    /** Returns the path of a field, for messages. */
    public String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** Returns a field as JSON, or null. */
    public @Nullable JsonNode json(String name) {
        asked.add(name);
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? null : value;
    }

    /** Returns a field as JSON. @throws ApiException 400 if it is absent */
    public JsonNode required(String name) {
        JsonNode value = json(name);
        if (value == null) {
            throw ApiException.invalid(path(name), path(name) + " is missing");
        }
        return value;
    }

    /**
     * Returns the JSON of a field, which clients may also send as text; null if the field is absent.
     *
     * @param rule what the field must be, for messages
     * @throws ApiException 400 for a text that is not JSON, a duplicate key or half a surrogate pair; 413 if it is too large or too deep
     */
    public @Nullable JsonNode embedded(String name, String rule) {
        JsonNode value = json(name);
        if (value == null || !value.isTextual()) {
            return value;
        }
        JsonNode held = json.embedded(path(name), value.textValue());
        if (held == null) {
            throw wrong(name, value, rule);
        }
        return held;
    }

    /** Returns the whole object. */
    public ObjectNode object() {
        return object;
    }

    public @Nullable String text(String name) {
        JsonNode value = json(name);
        if (value != null && !value.isTextual()) {
            throw wrong(name, value, "text");
        }
        return value == null ? null : value.textValue();
    }

    public String requiredText(String name) {
        required(name);
        return String.valueOf(text(name));
    }

    public boolean flag(String name, boolean otherwise) {
        JsonNode value = json(name);
        if (value != null && !value.isBoolean()) {
            throw wrong(name, value, "true or false");
        }
        return value == null ? otherwise : value.booleanValue();
    }

    /** Returns an integer within bounds, or null. */
    public @Nullable Long integer(String name, long least, long most) {
        JsonNode value = json(name);
        if (value == null) {
            return null;
        }
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < least
                || value.longValue() > most) {
            throw wrong(name, value, least == most ? String.valueOf(least) : "an integer " + bounds(least, most));
        }
        return value.longValue();
    }

    public int integer(String name, int least, int most, int otherwise) {
        Long value = integer(name, least, most);
        return value == null ? otherwise : Math.toIntExact(value);
    }

    private static String bounds(long least, long most) {
        return most == Long.MAX_VALUE || most == Integer.MAX_VALUE
                ? "of at least " + least
                : "from " + least + " to " + most;
    }

    /** Returns a finite number within bounds, or null. */
    public @Nullable Double number(String name, double least, double most) {
        JsonNode value = json(name);
        if (value == null) {
            return null;
        }
        double number = value.isNumber() ? value.doubleValue() : Double.NaN;
        if (!(number >= least && number <= most)) {
            throw wrong(name, value, "a number from " + least + " to " + most);
        }
        return number;
    }

    public double number(String name, double least, double most, double otherwise) {
        Double value = number(name, least, most);
        return value == null ? otherwise : value;
    }

    /** Returns an array's elements; empty if the field is absent. */
    public List<JsonNode> list(String name) {
        JsonNode value = json(name);
        if (value == null) {
            return List.of();
        }
        if (!value.isArray()) {
            throw wrong(name, value, "an array");
        }
        return value.valueStream().toList();
    }

    /** Returns an array of objects; empty if the field is absent. */
    public List<RequestFields> objects(String name) {
        List<JsonNode> elements = list(name);
        return IntStream.range(0, elements.size())
                .mapToObj(i -> of(path(name) + "[" + i + "]", elements.get(i)))
                .toList();
    }

    /** Returns an object, or null. */
    public @Nullable RequestFields object(String name) {
        JsonNode value = json(name);
        return value == null ? null : of(path(name), value);
    }

    /** Returns an object. @throws ApiException 400 if it is absent or another value */
    public RequestFields requiredObject(String name) {
        return of(path(name), required(name));
    }

    private RequestFields of(String path, JsonNode value) {
        if (!(value instanceof ObjectNode inner)) {
            throw refusal(path, value, "an object");
        }
        return new RequestFields(path, inner, json);
    }

    /**
     * Refuses an unsupported field, if it is given.
     *
     * @param why appended to "FIELD is not supported", such as ": …"
     */
    public void refuse(String name, String why) {
        if (json(name) != null) {
            throw ApiException.invalid(path(name), path(name) + " is not supported" + why);
        }
    }

    /** Creates the error for an invalid value of a field. */
    public ApiException wrong(String name, JsonNode value, String rule) {
        return refusal(path(name), value, rule);
    }

    private static ApiException refusal(String path, JsonNode value, String rule) {
        String given = value.isTextual() ? StringUtils.left(value.textValue(), SHOWN * 2) : null;
        String text = given == null ? value.toString() : TextNode.valueOf(given).toString();
        String shown = text.codePointCount(0, text.length()) <= SHOWN
                ? text
                : text.substring(0, text.offsetByCodePoints(0, SHOWN)) + "…";
        return ApiException.invalid(path, path + " is " + shown + ", must be " + rule);
    }

    /** Returns the paths of fields that were not read so far. */
    public List<String> unknown() {
        return object.propertyStream()
                .map(Map.Entry::getKey)
                .filter(name -> !asked.contains(name))
                .map(this::path)
                .toList();
    }
}
