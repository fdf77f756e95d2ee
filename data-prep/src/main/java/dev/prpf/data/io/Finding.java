package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import org.jspecify.annotations.Nullable;

/**
 * A defect of a data file, with the record that has it.
 *
 * @param id the record's id, {@code #i} for the i-th record (from 0) without id, or null for the file or the pool as a whole
 * @param defect the defect, with its JSON Pointer into the record or the pool
 */
public record Finding(@Nullable String id, Defect defect) {
    private static final int LONGEST_VALUE = 1000;

    /** Returns the object of {@code data validate --json}: id, path, severity, rule, value, message. */
    public ObjectNode toJson() {
        JsonNode value = defect.value();
        if (value != null && value.toString().length() > LONGEST_VALUE) {
            value = TextNode.valueOf(JsonText.abbreviate(value));
        }
        return JsonNodeFactory.instance
                .objectNode()
                .put("id", id)
                .put("path", defect.path())
                .put("severity", defect.severity().label())
                .put("rule", defect.rule())
                .<ObjectNode>set("value", value)
                .put("message", defect.message());
    }

    /** Returns one line: severity, record, path, rule, value, message. */
    public String toLine() {
        JsonNode value = defect.value();
        return "%-7s  %s  %s  %s: %s%s"
                .formatted(
                        defect.severity().label(),
                        id == null ? "-" : printable(id),
                        defect.path().isEmpty() ? "(whole)" : printable(defect.path()),
                        defect.rule(),
                        value == null ? "" : JsonText.abbreviate(value) + ": ",
                        printable(defect.message()));
    }

    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
