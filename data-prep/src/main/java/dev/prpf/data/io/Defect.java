package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A defect of a JSON document.
 *
 * @param path JSON Pointer (RFC 6901) from the root of the record or pool
 * @param severity whether the document can still be used
 * @param rule stable kebab-case name of the broken rule
 * @param value the value found, or null if missing
 * @param message the rule in words, with the next step if needed
 */
public record Defect(String path, Severity severity, String rule, @Nullable JsonNode value, String message) {
    public enum Severity {
        FATAL,
        WARNING;

        /** Returns the name used in files: {@code fatal} or {@code warning}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Receives each defect of a document. */
    @FunctionalInterface
    public interface Sink extends Consumer<Defect> {
        default void fatal(String path, String rule, @Nullable JsonNode value, String message) {
            accept(Defect.fatal(path, rule, value, message));
        }

        default void warning(String path, String rule, @Nullable JsonNode value, String message) {
            accept(Defect.warning(path, rule, value, message));
        }
    }

    /** Creates a defect that makes the document unusable. */
    public static Defect fatal(String path, String rule, @Nullable JsonNode value, String message) {
        return new Defect(path, Severity.FATAL, rule, value, message);
    }

    /** Creates a defect that leaves the document usable. */
    public static Defect warning(String path, String rule, @Nullable JsonNode value, String message) {
        return new Defect(path, Severity.WARNING, rule, value, message);
    }

    public boolean isFatal() {
        return severity == Severity.FATAL;
    }

    /** Returns location, value and rule on one line for an error message. */
    public String describe() {
        String place = path.isEmpty() ? "" : "at " + path + ": ";
        return place + (value == null ? "" : JsonText.abbreviate(value) + ": ") + message + " [" + rule + "]";
    }
}
