package dev.prpf.par.response;

import java.util.Locale;
import org.apache.commons.text.StringEscapeUtils;

/** Converts an answer that follows {@link ResponseSchema} to the grammar's text while it arrives. Other answers are unchanged. */
public final class SchemaStream {
    private static final int UNICODE = 6; // characters of an escape with a code

    private final StringBuilder key = new StringBuilder();
    private final StringBuilder escape = new StringBuilder();
    private boolean begun;
    private boolean json;
    private boolean quoted;
    private boolean value;
    private int depth;

    /** Returns the text that more of the answer gives. */
    public String add(String gained) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < gained.length(); i++) {
            char next = gained.charAt(i);
            json |= !begun && next == '{';
            begun |= !Character.isWhitespace(next);
            if (json) {
                convert(next, text);
            } else {
                text.append(next);
            }
        }
        return text.toString();
    }

    private void convert(char next, StringBuilder text) {
        boolean inside = depth > 1;
        if (quoted) {
            string(next, inside ? new StringBuilder() : value ? text : key);
        } else if (next == '"') {
            quoted = true;
            key.setLength(value ? key.length() : 0);
        } else if (next == '{' || next == '[') {
            depth++;
        } else if (next == '}' || next == ']') {
            depth--;
        } else if (next == ':' && !inside) {
            value = true;
            text.append(ResponseGrammar.open(key.toString()));
        }
        if (inside || depth > 1) {
            text.append(next); // recommendations stay JSON
        } else if (value && !quoted && (next == ',' || next == '}')) {
            value = false;
            text.append(ResponseGrammar.close(key.toString()));
        }
    }

    private void string(char next, StringBuilder target) {
        if (next == '\\' || !escape.isEmpty()) {
            escape.append(next);
            if (escape.length() == escapeLength()) {
                target.append(StringEscapeUtils.unescapeJson(escape.toString()));
                escape.setLength(0);
            }
        } else if (next == '"') {
            quoted = false;
        } else {
            target.append(next);
        }
    }

    /** Returns the length of the escape that has begun; the two escapes of a surrogate pair are one. */
    private int escapeLength() {
        if (escape.length() < 2 || escape.charAt(1) != 'u') {
            return 2;
        }
        boolean high = escape.length() >= UNICODE
                && escape.substring(2, UNICODE).toLowerCase(Locale.ROOT).matches("d[89ab]..");
        return high ? 2 * UNICODE : UNICODE;
    }
}
