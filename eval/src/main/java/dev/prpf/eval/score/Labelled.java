package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import org.apache.commons.lang3.StringUtils;

/** A constant that reports show by a label and JSON by a key, its name in lower case. */
public interface Labelled {
    String name();

    /** The name in reports: the constant's in words, where it has no other. */
    default String label() {
        return StringUtils.capitalize(key().replace('_', ' '));
    }

    /** The key in JSON. */
    @JsonValue
    default String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
