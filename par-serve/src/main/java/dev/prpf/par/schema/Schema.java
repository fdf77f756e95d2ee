package dev.prpf.par.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A JSON schema in reduced form. Counts may have any size; {@link #UNBOUNDED} means no bound. */
public sealed interface Schema {
    /** The value of a missing upper bound. */
    int UNBOUNDED = Integer.MAX_VALUE;

    /** A schema that accepts any value. */
    record Anything() implements Schema {}

    /** Accepts these values; empty for a schema that accepts no value. */
    record Literals(List<JsonNode> values) implements Schema {}

    /**
     * Accepts a JSON string.
     *
     * @param minLength minimum length in characters (code points)
     * @param maxLength maximum length in characters, or {@link #UNBOUNDED}
     * @param pattern matches the whole string, or null
     */
    record Text(int minLength, int maxLength, @Nullable Regex pattern) implements Schema {}

    /** Accepts a number; {@code whole} for an integer. */
    record Numbers(boolean whole) implements Schema {}

    /** Accepts a number between bounds, by a pattern of its text. */
    record Written(Regex as) implements Schema {}

    /**
     * Accepts a JSON array.
     *
     * @param prefix schemas of the first elements, if present
     * @param items schema of the other elements; null if not allowed
     * @param unique whether elements must be distinct
     */
    record Items(List<Schema> prefix, @Nullable Schema items, int min, int max, boolean unique) implements Schema {}

    /**
     * Accepts a JSON object.
     *
     * @param properties in the order of generation
     * @param open schema of the fields of an object without properties; null if only the properties are allowed
     */
    record Properties(List<Property> properties, @Nullable Schema open) implements Schema {}

    /** A field of an object. */
    record Property(String name, Schema value, boolean required) {}

    /** Accepts a value that one of several schemas accepts. */
    record Union(List<Schema> branches) implements Schema {}

    /** Accepts a value that the document's schema at a JSON Pointer accepts. */
    record Reference(String pointer) implements Schema {}

    /**
     * A schema with the targets of its references.
     *
     * @param targets of references, by JSON Pointer
     * @param recursive targets that refer to themselves, directly or indirectly
     */
    record SchemaDocument(Schema root, Map<String, Schema> targets, Set<String> recursive) {
        public Schema target(Schema.Reference reference) {
            return Objects.requireNonNull(targets.get(reference.pointer()));
        }
    }

    /** A regular expression that a whole string matches. */
    sealed interface Regex {
        /** Matches any string of any length. */
        Regex ANYTHING = new Times(new One(CodePoints.ALL), 0, Schema.UNBOUNDED);

        /** Matches one character of a set. */
        record One(CodePoints of) implements Regex {}

        /** Matches the parts in sequence; without parts the empty string. */
        record Sequence(List<Regex> parts) implements Regex {}

        /** Matches one of several branches. */
        record Choice(List<Regex> branches) implements Regex {}

        /** Matches an expression a number of times, at most {@link Schema#UNBOUNDED}. */
        record Times(Regex of, int min, int max) implements Regex {}
    }
}
