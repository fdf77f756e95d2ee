package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;

/** JSON values and pointers as text for messages. */
public final class JsonText {
    private static final int LONGEST = 120;

    private JsonText() {}

    /** The value as JSON on one line, cut off after 120 characters. */
    public static String abbreviate(JsonNode value) {
        String text = value.toString();
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }

    /** The pointer to a member of the object at {@code path}. */
    public static String member(String path, String key) {
        return path + "/" + key.replace("~", "~0").replace("/", "~1");
    }

    /** The kind of a JSON value as a reader of JSON calls it: object, array, string, number, boolean, null. */
    static String kind(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT, POJO -> "object";
            case ARRAY -> "array";
            case STRING, BINARY -> "string";
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            case BOOLEAN -> "boolean";
            case NULL, MISSING -> "null";
        };
    }

    /** Whether a text holds whole characters only, no half of a surrogate pair. */
    public static boolean isUnicode(String text) {
        return text.codePoints().noneMatch(c -> Character.getType(c) == Character.SURROGATE);
    }
}
