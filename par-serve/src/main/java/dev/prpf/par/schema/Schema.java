package dev.prpf.par.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a value must be. Numbers of things may be as large as a schema likes; {@link #UNBOUNDED} is no bound. */
public sealed interface Schema {
    /** No upper bound. */
    int UNBOUNDED = Integer.MAX_VALUE;

    /** Any value. */
    record Anything() implements Schema {}

    /** One of these values; none for a schema that nothing fulfils. */
    record Literals(List<JsonNode> values) implements Schema {
        public Literals {
            values = List.copyOf(values);
        }
    }

    /**
     * A string.
     *
     * @param minLength characters (code points)
     * @param maxLength characters, or {@link #UNBOUNDED}
     * @param pattern what the whole string matches, or null
     */
    record Text(int minLength, int maxLength, @Nullable Regex pattern) implements Schema {}

    /** A number; {@code whole} for an integer. */
    record Numbers(boolean whole) implements Schema {}

    /** A number between bounds, as the pattern of its text. */
    record Written(Regex as) implements Schema {}

    /**
     * An array.
     *
     * @param prefix what the first elements must be, as far as there are any
     * @param items what the others must be; null if there may be none
     * @param unique whether no two elements may be equal
     */
    record Items(List<Schema> prefix, @Nullable Schema items, int min, int max, boolean unique) implements Schema {
        public Items {
            prefix = List.copyOf(prefix);
        }
    }

    /**
     * An object.
     *
     * @param properties in the order they are written in
     * @param open what the fields of an object without properties must be; null if there may be none but the properties
     */
    record Properties(List<Property> properties, @Nullable Schema open) implements Schema {
        public Properties {
            properties = List.copyOf(properties);
        }
    }

    /** A field of an object. */
    record Property(String name, Schema value, boolean required) {}

    /** A value that one of several schemas accepts. */
    record Union(List<Schema> branches) implements Schema {
        public Union {
            branches = List.copyOf(branches);
        }
    }

    /** A value that the document's schema at a JSON Pointer accepts. */
    record Reference(String pointer) implements Schema {}
}
