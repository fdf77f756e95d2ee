package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a scenario file, strictly: {@code {"scenarios": [{"name", "chinese"}…], "functions": {function: scenario name}}}, where {@code chinese}
 * is optional. All defects are reported at once. {@link #of} makes a catalogue for a pool without such a file.
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

    /**
     * Returns the scenarios of a pool. A file has priority over the scenarios that the functions state. Without both, these are the shipped
     * scenarios if they cover the pool, else one for each group of functions that are similar to each other.
     *
     * @param file null without a scenario file
     * @throws PrpfException 65 with every defect of an invalid file, or if only some functions state a scenario
     */
    public static ScenarioCatalog of(FunctionPool pool, @Nullable Path file) {
        if (file != null) {
            return read(file);
        }
        List<FunctionSpec> silent = pool.functions().stream()
                .filter(function -> function.scenario() == null)
                .toList();
        if (silent.isEmpty() && pool.size() > 0) {
            return named(pool, function -> Objects.requireNonNull(function.scenario()));
        }
        if (silent.size() < pool.size()) {
            throw new InvalidDataException(silent.size() + " of " + pool.size()
                    + " functions have no \"scenario\", first: "
                    + silent.get(0).name()
                    + "; give each function one, or none for one scenario per group of similar functions");
        }
        ScenarioCatalog shipped = shipped();
        return shipped.missing(pool).isEmpty() ? shipped : grouped(pool);
    }

    /** Returns one scenario for each function, called like it. */
    public static ScenarioCatalog ofFunctions(FunctionPool pool) {
        return named(pool, FunctionSpec::name);
    }

    /** Returns one scenario for each group of functions that name each other as similar, called like the group's first function. */
    private static ScenarioCatalog grouped(FunctionPool pool) {
        List<String> all = List.copyOf(pool.names());
        int[] first = IntStream.range(0, all.size()).toArray();
        for (FunctionSpec function : pool.functions()) {
            for (String other : function.similar()) {
                int joined = all.indexOf(other) < 0 ? -1 : first[all.indexOf(other)];
                int into = first[all.indexOf(function.name())];
                Arrays.setAll(
                        first,
                        i -> first[i] == joined || (first[i] == into && joined >= 0)
                                ? Math.min(joined, into)
                                : first[i]);
            }
        }
        return named(pool, function -> all.get(first[all.indexOf(function.name())]));
    }

    private static ScenarioCatalog named(FunctionPool pool, Function<FunctionSpec, String> scenario) {
        Map<String, String> scenarios = new LinkedHashMap<>();
        pool.functions().forEach(function -> scenarios.put(function.name(), scenario.apply(function)));
        return new ScenarioCatalog(
                scenarios.values().stream()
                        .distinct()
                        .map(name -> new Scenario(name, name))
                        .toList(),
                scenarios);
    }

    private ScenarioCatalog catalog(@Nullable Path file) {
        try {
            JsonFields fields = JsonFields.of(JsonTree.readFile(file, SHIPPED, sink), "", sink);
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

    private void readScenarios(JsonFields fields) {
        JsonNode array = fields.required("scenarios", "array");
        for (int i = 0; array != null && i < array.size(); i++) {
            JsonFields scenario = JsonFields.of(array.get(i), "/scenarios/" + i, sink);
            if (scenario != null) {
                readScenario(scenario);
            }
        }
        if (array != null && array.isEmpty()) {
            fields.fatal("scenarios", "no-scenarios", "must hold at least one scenario");
        }
    }

    private void readScenario(JsonFields scenario) {
        onlyKeys(scenario, Set.of("name", "chinese"));
        String name = scenario.text("name");
        String chinese = scenario.optionalText("chinese");
        if (name == null) {
            return;
        }
        if (name.isBlank() || name.equals(ScenarioCatalog.NONE) || names.contains(name)) {
            scenario.fatal("name", "scenario-name", "must be unique, not blank, not \"none\"");
        }
        names.add(name);
        scenarios.add(new Scenario(name, Objects.requireNonNullElse(chinese, name)));
    }

    private void readFunctions(JsonFields fields) {
        JsonFields object = fields.object("functions");
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

    private static void onlyKeys(JsonFields fields, Set<String> keys) {
        String rule = "is not a field of a scenario file, must be one of " + new TreeSet<>(keys);
        fields.names().stream()
                .filter(key -> !keys.contains(key))
                .forEach(key -> fields.fatal(key, "unknown-field", rule));
    }
}
