package dev.prpf.base.run;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything needed to do a run again.
 *
 * @param command the command, "mpp train"
 * @param arguments as given on the command line
 * @param resolvedConfig the configuration after overrides, YAML
 * @param facts data hashes, seeds, device and whatever else the command records
 */
public record RunDescription(String command, List<String> arguments, String resolvedConfig, Map<String, Object> facts) {
    public RunDescription {
        arguments = List.copyOf(arguments);
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    }
}
