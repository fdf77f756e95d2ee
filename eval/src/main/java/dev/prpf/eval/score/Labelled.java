package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** A constant that reports show by a label and JSON by a key, its name in lower case. */
public interface Labelled {
    String name();

    /** The name in reports. */
    String label();

    /** The key in JSON. */
    @JsonValue
    default String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
