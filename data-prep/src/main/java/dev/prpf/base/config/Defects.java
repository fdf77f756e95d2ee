package dev.prpf.base.config;

import dev.prpf.base.error.InvalidConfigurationException;
import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.nodes.Node;

/** Collects what is wrong with one configuration. */
final class Defects {
    private final String name;
    private final List<String> found = new ArrayList<>();

    Defects(String name) {
        this.name = name;
    }

    void add(Node where, String key, String rule) {
        int line = where.getStartMark() == null ? 0 : where.getStartMark().getLine() + 1;
        found.add(name + ":" + line + ": " + (key.isEmpty() ? "" : key + ": ") + rule);
    }

    void raise() {
        if (!found.isEmpty()) {
            throw new InvalidConfigurationException(String.join("\n       ", found));
        }
    }
}
