package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and writes {@code function_pool.json}, an object of functions by name. */
public final class FunctionPoolFile {
    private static final Logger LOG = LoggerFactory.getLogger(FunctionPoolFile.class);
    private static final ObjectWriter PRETTY = new ObjectMapper().writerWithDefaultPrettyPrinter();
    private static final String SHIPPED = "/dev/prpf/data/function_pool.json";
    private static final String ENGLISH = "/dev/prpf/data/function_pool_en.json";

    private FunctionPoolFile() {}

    /**
     * The readable part of a pool.
     *
     * @param pool the valid functions
     * @param defective names of functions with defects
     * @param whole false if the file is not a pool at all
     */
    public record Reading(FunctionPool pool, Set<String> defective, boolean whole) implements Serializable {
        private static final Reading NONE = new Reading(new FunctionPool(List.of()), Set.of(), false);
    }

    /** Returns the pool shipped with the program; its descriptions are Chinese. */
    public static FunctionPool shipped() {
        return read(null);
    }

    /** Returns the shipped pool with English descriptions. */
    public static FunctionPool shippedEnglish() {
        return read(null, ENGLISH);
    }

    /**
     * Reads a pool, or the shipped one if the file is null; logs warnings.
     *
     * @throws PrpfException 65 with every fatal defect of an invalid pool
     */
    public static FunctionPool read(@Nullable Path file) {
        return read(file, SHIPPED);
    }

    private static FunctionPool read(@Nullable Path file, String resource) {
        List<Defect> defects = new ArrayList<>();
        Reading reading = read(file, resource, defects::add);
        String place = Objects.toString(file, resource);
        warnings(defects).forEach(warning -> LOG.warn("{}: {}", place, warning));
        String fatal =
                defects.stream().filter(Defect::isFatal).map(Defect::describe).collect(Collectors.joining("; "));
        if (!fatal.isEmpty()) {
            throw new InvalidDataException(place + ": " + fatal);
        }
        return reading.pool();
    }

    /** Returns one line for all locations where the same value breaks the same rule. */
    static List<String> warnings(List<Defect> defects) {
        Map<List<String>, List<Defect>> alike = defects.stream()
                .filter(defect -> !defect.isFatal())
                .collect(Collectors.groupingBy(
                        defect -> List.of(defect.rule(), String.valueOf(defect.value())),
                        LinkedHashMap::new,
                        Collectors.toList()));
        return alike.values().stream()
                .map(same -> same.get(0).describe() + (same.size() == 1 ? "" : ", and " + (same.size() - 1) + " more"))
                .toList();
    }

    /**
     * Reads the valid part of a pool; defects have pointers from its root and rules that begin with {@code pool-}.
     *
     * @param file null for the shipped pool
     */
    public static Reading read(@Nullable Path file, Defect.Sink defects) {
        return read(file, SHIPPED, defects);
    }

    private static Reading read(@Nullable Path file, String resource, Defect.Sink defects) {
        Defect.Sink named = defect -> defects.accept(new Defect(
                defect.path(), defect.severity(), "pool-" + defect.rule(), defect.value(), defect.message()));
        Set<String> defective = new LinkedHashSet<>();
        try {
            JsonNode root = JsonTree.readFile(file, resource, defect -> {
                defective.add(JsonPointer.compile(defect.path()).getMatchingProperty());
                named.accept(defect);
            });
            if (root.isObject()) {
                return functions(root, named, defective);
            }
            named.fatal("", "not-an-object", root, "must be an object of functions by name");
        } catch (MalformedFileException e) {
            named.accept(e.defect());
        }
        return Reading.NONE;
    }

    private static Reading functions(JsonNode root, Defect.Sink defects, Set<String> defective) {
        List<FunctionSpec> functions = new ArrayList<>();
        root.properties().forEach(entry -> {
            FunctionSpec function = FunctionSpecJson.read(entry.getKey(), entry.getValue(), defects);
            if (function == null) {
                defective.add(entry.getKey());
            } else {
                functions.add(function);
            }
        });
        functions.forEach(function -> reportUnknownSimilar(function, root, defects));
        return new Reading(new FunctionPool(functions), defective, true);
    }

    /**
     * Writes the pool atomically.
     *
     * @throws PrpfException 69 if the file cannot be written
     */
    public static void write(FunctionPool pool, Path file) {
        AtomicFiles.writeText(file, text(pool));
    }

    /** Returns the text that {@link #write} writes. */
    public static String text(FunctionPool pool) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        pool.functions().forEach(function -> {
            ObjectNode json = FunctionSpecJson.write(function);
            if (function.scenario() != null) {
                json.put("scenario", function.scenario());
            }
            root.set(function.name(), json);
        });
        try {
            return new String(PRETTY.writeValueAsBytes(root), StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a pool that cannot be written as JSON", e);
        }
    }

    private static void reportUnknownSimilar(FunctionSpec function, JsonNode root, Defect.Sink defects) {
        for (int i = 0; i < function.similar().size(); i++) {
            if (!root.has(function.similar().get(i))) {
                String path = JsonText.member("", function.name()) + "/similar/" + i;
                defects.warning(path, "unknown-similar", root.at(path), "names no function of the pool");
            }
        }
    }
}
