package dev.prpf.cli.sweep;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings for gathering the results of a sweep's members.
 *
 * @param title of the table; empty for the sweep's name
 * @param metrics sources by name (a file and a JSON Pointer); empty for every number of the last command's result that differs
 * @param published the paper's table to compare with, "PRPF Table 8", or null
 */
record GatherSettings(String title, Map<String, String> metrics, @Nullable String published) {
    static final GatherSettings ALL = new GatherSettings("", Map.of(), null);

    GatherSettings {
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }
}
