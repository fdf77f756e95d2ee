package dev.prpf.mpp;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many functions of the pool each scenario has, kept in a run as {@code pool.json}. Every function has one scenario, so the sizes of
 * a candidate pool's scenarios add up to its own.
 *
 * @param functions scenario name to number of functions, in catalogue order
 */
public record PoolSizes(Map<String, Integer> functions) {
    private static final String FILE = "pool.json";
    private static final ObjectMapper JSON = new ObjectMapper();

    public PoolSizes {
        functions = Collections.unmodifiableMap(new LinkedHashMap<>(functions));
    }

    public static PoolSizes of(FunctionPool pool, ScenarioCatalog catalog) {
        Map<String, Integer> sizes = new LinkedHashMap<>();
        catalog.blocks(pool).forEach((scenario, functions) -> sizes.put(scenario, functions.size()));
        return new PoolSizes(sizes);
    }

    /** Functions of the whole pool. */
    public int whole() {
        return size(functions.keySet());
    }

    /** Functions of the candidate pool of these scenarios. */
    public int size(Collection<String> scenarios) {
        return scenarios.stream()
                .mapToInt(name -> functions.getOrDefault(name, 0))
                .sum();
    }

    /** Writes the file into a run directory. */
    public void save(Path run) {
        try {
            AtomicFiles.writeText(run.resolve(FILE), JSON.writeValueAsString(functions) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws PrpfException 69 if the run has none, 65 if the file is damaged */
    public static PoolSizes load(Path run) {
        Path file = run.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException(file + ": does not exist; `prpf mpp train --run-dir " + run + "` writes it");
        }
        try {
            Map<String, Integer> read =
                    JSON.readValue(Files.readAllBytes(file), new TypeReference<LinkedHashMap<String, Integer>>() {});
            if (read == null || read.isEmpty()) {
                throw new InvalidDataException(
                        file + ": holds no scenario; `prpf mpp train --run-dir " + run + "` writes it again");
            }
            read.forEach((scenario, size) -> requireSize(file, scenario, size));
            return new PoolSizes(read);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read: " + e.getMessage());
        }
    }

    private static void requireSize(Path file, String scenario, @Nullable Integer size) {
        if (size == null || size < 0) {
            throw new InvalidDataException(
                    file + ": " + scenario + " = " + size + ", must be a number of functions, at least 0");
        }
    }
}
