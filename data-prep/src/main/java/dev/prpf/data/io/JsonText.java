package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;

/** Formats JSON values and pointers for messages. */
public final class JsonText {
    private static final int LONGEST = 120;

    private JsonText() {}

    /** Returns the value as JSON on one line, truncated to 120 characters. */
    public static String abbreviate(JsonNode value) {
        String text = value.toString();
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }

    /** Returns the pointer to a member of the object at {@code path}. */
    public static String member(String path, String key) {
        return path + "/" + key.replace("~", "~0").replace("/", "~1");
    }

    /** Returns the type of a JSON value: object, array, string, integer, number, boolean, null. */
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

    /** Returns whether a text has no unpaired surrogate. */
    public static boolean isUnicode(String text) {
        return text.codePoints().noneMatch(c -> Character.getType(c) == Character.SURROGATE);
    }
}
