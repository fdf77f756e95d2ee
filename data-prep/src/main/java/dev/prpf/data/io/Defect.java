package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Something wrong at one place of a JSON document.
 *
 * @param path JSON Pointer (RFC 6901) from the document's root: a record's, or a pool's
 * @param severity whether the document can be used all the same
 * @param rule stable kebab-case name of the rule that is broken
 * @param value what was seen there, or null where nothing stands
 * @param message the rule in words, with what to do where that is not plain
 */
public record Defect(String path, Severity severity, String rule, @Nullable JsonNode value, String message) {
    /** How bad it is. */
    public enum Severity {
        FATAL,
        WARNING;

        /** The name used in files: {@code fatal} or {@code warning}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Is told of each defect of a document. */
    @FunctionalInterface
    public interface Sink extends Consumer<Defect> {
        default void fatal(String path, String rule, @Nullable JsonNode value, String message) {
            accept(Defect.fatal(path, rule, value, message));
        }

        default void warning(String path, String rule, @Nullable JsonNode value, String message) {
            accept(Defect.warning(path, rule, value, message));
        }
    }

    /** One that makes the document useless. */
    public static Defect fatal(String path, String rule, @Nullable JsonNode value, String message) {
        return new Defect(path, Severity.FATAL, rule, value, message);
    }

    /** One that leaves it of use. */
    public static Defect warning(String path, String rule, @Nullable JsonNode value, String message) {
        return new Defect(path, Severity.WARNING, rule, value, message);
    }

    public boolean isFatal() {
        return severity == Severity.FATAL;
    }

    /** Place, value and rule in one line, for an error message. */
    public String describe() {
        String place = path.isEmpty() ? "" : "at " + path + ": ";
        return place + (value == null ? "" : JsonText.abbreviate(value) + ": ") + message + " [" + rule + "]";
    }
}
