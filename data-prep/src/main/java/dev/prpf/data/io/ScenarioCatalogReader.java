package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Scenario;
import dev.prpf.data.ScenarioCatalog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads a scenario file, strictly: {@code {"scenarios": [{"name", "chinese"}…], "functions": {function: scenario name}}}. All
 * defects are reported at once.
 */
public final class ScenarioCatalogReader {
    private static final String SHIPPED = "/dev/prpf/data/scenarios.json";

    private final List<Defect> defects = new ArrayList<>();
    private final Defect.Sink sink = defects::add;
    private final List<Scenario> scenarios = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final Map<String, String> functions = new LinkedHashMap<>();

    private ScenarioCatalogReader() {}

    /** Returns the shipped catalogue: the 14 scenarios of ProactiveMobile with the map for the shipped pool. */
    public static ScenarioCatalog shipped() {
        return read(null);
    }

    /**
     * Reads a scenario file, or the shipped one if the file is null.
     *
     * @throws PrpfException 65 with every defect of an invalid file
     */
    public static ScenarioCatalog read(@Nullable Path file) {
        return new ScenarioCatalogReader().catalog(file);
    }

    private ScenarioCatalog catalog(@Nullable Path file) {
        try {
            Fields fields = Fields.of(JsonTree.readFile(file, SHIPPED, sink), "", sink);
            if (fields != null) {
                onlyKeys(fields, Set.of("scenarios", "functions"));
                readScenarios(fields);
                readFunctions(fields);
            }
        } catch (MalformedFileException e) {
            sink.accept(e.defect());
        }
        if (!defects.isEmpty()) {
            throw new InvalidDataException(Objects.toString(file, SHIPPED) + ": "
                    + defects.stream().map(Defect::describe).collect(Collectors.joining("; ")));
        }
        return new ScenarioCatalog(scenarios, functions);
    }

    private void readScenarios(Fields fields) {
        JsonNode array = fields.required("scenarios", "array");
        for (int i = 0; array != null && i < array.size(); i++) {
            Fields scenario = Fields.of(array.get(i), "/scenarios/" + i, sink);
            if (scenario != null) {
                readScenario(scenario);
            }
        }
        if (array != null && array.isEmpty()) {
            fields.fatal("scenarios", "no-scenarios", "must hold at least one scenario");
        }
    }

    private void readScenario(Fields scenario) {
        onlyKeys(scenario, Set.of("name", "chinese"));
        String name = scenario.text("name");
        String chinese = scenario.text("chinese");
        if (name == null || chinese == null) {
            return;
        }
        if (name.isBlank() || name.equals(ScenarioCatalog.NONE) || names.contains(name)) {
            scenario.fatal("name", "scenario-name", "must be unique, not blank, not \"none\"");
        }
        names.add(name);
        scenarios.add(new Scenario(name, chinese));
    }

    private void readFunctions(Fields fields) {
        Fields object = fields.object("functions");
        if (object == null) {
            return;
        }
        for (String function : object.names()) {
            String scenario = object.text(function);
            if (scenario != null && !names.contains(scenario)) {
                object.fatal(function, "unknown-scenario", "must be one of " + names);
            } else if (scenario != null) {
                functions.put(function, scenario);
            }
        }
    }

    private static void onlyKeys(Fields fields, Set<String> keys) {
        String rule = "is not a field of a scenario file, must be one of " + new TreeSet<>(keys);
        fields.names().stream()
                .filter(key -> !keys.contains(key))
                .forEach(key -> fields.fatal(key, "unknown-field", rule));
    }
}
