package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a {@code function_pool.json}: an object of functions by name. */
public final class FunctionPoolReader {
    private static final Logger LOG = LoggerFactory.getLogger(FunctionPoolReader.class);
    private static final String SHIPPED = "/dev/prpf/data/function_pool.json";

    private FunctionPoolReader() {}

    /**
     * What could be read of a pool.
     *
     * @param pool its sound functions
     * @param defective names of functions that stand in the file but could not be read whole
     * @param whole false where the file as a whole is no pool
     */
    public record Reading(FunctionPool pool, Set<String> defective, boolean whole) {}

    /**
     * Reads a pool; warnings go to the log.
     *
     * @throws PrpfException 65 with every fatal defect if the file is no pool
     */
    public static FunctionPool read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return strictly(file.toString(), in);
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    /** The pool of a file, or the shipped one where none is named. */
    public static FunctionPool readOrShipped(@Nullable Path file) {
        return file == null ? shipped() : read(file);
    }

    /** Our own pool, shipped with the program. */
    public static FunctionPool shipped() {
        try (InputStream in = FunctionPoolReader.class.getResourceAsStream(SHIPPED)) {
            if (in == null) {
                throw new UnavailableException(
                        "the resource " + SHIPPED + " is missing from the program; build it anew");
            }
            return strictly("shipped function_pool.json", in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FunctionPool strictly(String name, InputStream in) throws IOException {
        List<Defect> defects = new ArrayList<>();
        Reading reading = read(in, defects::add);
        List<String> fatal =
                defects.stream().filter(Defect::isFatal).map(Defect::describe).toList();
        warnings(defects).forEach(warning -> LOG.warn("{}: {}", name, warning));
        if (!fatal.isEmpty()) {
            throw new InvalidDataException(name + ": " + String.join("; ", fatal));
        }
        return reading.pool();
    }

    /** One line for all places where the same value breaks the same rule. */
    static List<String> warnings(List<Defect> defects) {
        Map<List<Object>, List<Defect>> alike = new LinkedHashMap<>();
        for (Defect defect : defects) {
            if (!defect.isFatal()) {
                List<Object> what = List.of(defect.rule(), String.valueOf(defect.value()));
                alike.computeIfAbsent(what, key -> new ArrayList<>()).add(defect);
            }
        }
        return alike.values().stream()
                .map(same -> same.get(0).describe()
                        + (same.size() == 1 ? "" : ", and the same at " + (same.size() - 1) + " more places"))
                .toList();
    }

    /** Reads as much as can be read; defects carry pointers from the pool's root and rules that begin with {@code pool-}. */
    public static Reading read(Path file, Consumer<Defect> defects) {
        try (InputStream in = Files.newInputStream(file)) {
            return read(in, defects);
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    private static Reading read(InputStream in, Consumer<Defect> defects) throws IOException {
        Consumer<Defect> named = defect -> defects.accept(new Defect(
                defect.path(), defect.severity(), "pool-" + defect.rule(), defect.value(), defect.message()));
        Set<String> defective = new LinkedHashSet<>();
        JsonNode root;
        try {
            root = JsonTree.readStream(in, defect -> {
                defective.add(defect.path()
                        .replaceFirst("^/([^/]*).*", "$1")
                        .replace("~1", "/")
                        .replace("~0", "~"));
                named.accept(defect);
            });
        } catch (MalformedFileException e) {
            named.accept(Defect.fatal("", e.rule(), null, e.getMessage()));
            return new Reading(new FunctionPool(List.of()), Set.of(), false);
        }
        if (!root.isObject()) {
            named.accept(Defect.fatal("", "not-an-object", root, "must be an object of functions by name"));
            return new Reading(new FunctionPool(List.of()), Set.of(), false);
        }
        return functions(root, named, defective);
    }

    private static Reading functions(JsonNode root, Consumer<Defect> defects, Set<String> defective) {
        List<FunctionSpec> functions = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            FunctionSpec function = FunctionSpecJson.read(entry.getKey(), entry.getValue(), defects);
            if (function == null) {
                defective.add(entry.getKey());
            } else {
                functions.add(function);
            }
        }
        for (FunctionSpec function : functions) {
            reportUnknownSimilar(function, root, defects);
        }
        return new Reading(new FunctionPool(functions), defective, true);
    }

    private static void reportUnknownSimilar(FunctionSpec function, JsonNode root, Consumer<Defect> defects) {
        for (int i = 0; i < function.similar().size(); i++) {
            String name = function.similar().get(i);
            if (!root.has(name)) {
                String path = JsonText.member("", function.name()) + "/similar/" + i;
                defects.accept(Defect.warning(path, "unknown-similar", root.at(path), "names no function of the pool"));
            }
        }
    }
}
