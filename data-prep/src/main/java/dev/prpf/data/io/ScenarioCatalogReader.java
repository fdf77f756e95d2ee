package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.data.Scenario;
import dev.prpf.data.ScenarioCatalog;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a scenario file, strictly: {@code {"scenarios": [{"name", "chinese"}…], "functions": {function: scenario name}}}. Every defect
 * is named at once.
 */
public final class ScenarioCatalogReader {
    private static final String SHIPPED = "/dev/prpf/data/scenarios.json";
    private static final Set<String> KEYS = Set.of("scenarios", "functions");
    private static final Set<String> SCENARIO_KEYS = Set.of("name", "chinese");

    private ScenarioCatalogReader() {}

    /**
     * Reads a scenario file.
     *
     * @throws PrpfException 65 with every defect if the file is no scenario file
     */
    public static ScenarioCatalog read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return read(file.toString(), in);
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    /** The catalogue of a file, or the shipped one where none is named. */
    public static ScenarioCatalog readOrShipped(@Nullable Path file) {
        return file == null ? shipped() : read(file);
    }

    /** The 14 scenarios of ProactiveMobile with the map for our own pool, shipped with the program. */
    public static ScenarioCatalog shipped() {
        try (InputStream in = ScenarioCatalogReader.class.getResourceAsStream(SHIPPED)) {
            if (in == null) {
                throw new UnavailableException(
                        "the resource " + SHIPPED + " is missing from the program; build it anew");
            }
            return read("shipped scenarios.json", in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ScenarioCatalog read(String name, InputStream in) throws IOException {
        List<Defect> defects = new ArrayList<>();
        List<Scenario> scenarios = new ArrayList<>();
        Map<String, String> functions = new LinkedHashMap<>();
        try {
            JsonNode root = JsonTree.readStream(in, defects::add);
            if (Fields.is(root, "", "object", defects::add)) {
                onlyKeys(root, "", KEYS, defects::add);
                Fields fields = new Fields(root, "", defects::add);
                readScenarios(fields, scenarios, defects::add);
                readFunctions(fields, scenarios, functions, defects::add);
            }
        } catch (MalformedFileException e) {
            throw new InvalidDataException(name + ": " + e.getMessage() + " [" + e.rule() + "]");
        }
        if (!defects.isEmpty()) {
            throw new InvalidDataException(name + ": "
                    + String.join("; ", defects.stream().map(Defect::describe).toList()));
        }
        return new ScenarioCatalog(scenarios, functions);
    }

    private static void readScenarios(Fields fields, List<Scenario> scenarios, Consumer<Defect> defects) {
        JsonNode array = fields.array("scenarios");
        Set<String> names = new LinkedHashSet<>();
        for (int i = 0; array != null && i < array.size(); i++) {
            String path = "/scenarios/" + i;
            if (!Fields.is(array.get(i), path, "object", defects)) {
                continue;
            }
            onlyKeys(array.get(i), path, SCENARIO_KEYS, defects);
            Fields scenario = new Fields(array.get(i), path, defects);
            String name = scenario.text("name");
            String chinese = scenario.text("chinese");
            if (name == null || chinese == null) {
                continue;
            }
            if (name.isBlank() || name.equals(ScenarioCatalog.NONE) || !names.add(name)) {
                defects.accept(Defect.fatal(
                        path + "/name",
                        "scenario-name",
                        scenario.raw("name"),
                        "must be unique, not blank, not \"none\""));
            }
            scenarios.add(new Scenario(name, chinese));
        }
        if (array != null && array.isEmpty()) {
            defects.accept(Defect.fatal("/scenarios", "no-scenarios", array, "must hold at least one scenario"));
        }
    }

    private static void readFunctions(
            Fields fields, List<Scenario> scenarios, Map<String, String> functions, Consumer<Defect> defects) {
        JsonNode object = fields.required("functions", "object");
        if (object == null) {
            return;
        }
        List<String> known = scenarios.stream().map(Scenario::name).toList();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            String path = JsonText.member("/functions", entry.getKey());
            if (!Fields.is(entry.getValue(), path, "string", defects)) {
                continue;
            }
            if (!known.contains(entry.getValue().textValue())) {
                defects.accept(Defect.fatal(path, "unknown-scenario", entry.getValue(), "must be one of " + known));
                continue;
            }
            functions.put(entry.getKey(), entry.getValue().textValue());
        }
    }

    private static void onlyKeys(JsonNode object, String path, Set<String> keys, Consumer<Defect> defects) {
        object.properties().forEach(entry -> {
            if (!keys.contains(entry.getKey())) {
                defects.accept(Defect.fatal(
                        JsonText.member(path, entry.getKey()),
                        "unknown-field",
                        entry.getValue(),
                        "is no field of a scenario file, must be one of " + new TreeSet<>(keys)));
            }
        });
    }
}
