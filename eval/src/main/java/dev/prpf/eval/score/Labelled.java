package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import org.apache.commons.lang3.StringUtils;

/** A constant with a label in reports and a key in JSON, its name in lower case. */
public interface Labelled {
    String name();

    /** Returns the label in reports; by default the constant's name in words. */
    default String label() {
        return StringUtils.capitalize(key().replace('_', ' '));
    }

    @JsonValue
    default String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
