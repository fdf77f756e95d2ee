package dev.prpf.data.io;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The functions and scenarios that a gate was trained with: {@code functions.json} and {@code scenarios.json} in its run, and in a cascade.
 */
public record CatalogFiles(Path functions, Path scenarios) {
    private record Content(List<Scenario> scenarios, Map<String, String> functions) {}

    /** Returns the files in a folder, which need not exist. */
    public static CatalogFiles in(Path folder) {
        return new CatalogFiles(folder.resolve("functions.json"), folder.resolve("scenarios.json"));
    }

    /** Returns the files of a trained gate; null if it has no such files. They are in its run; a cascade has them above its gate. */
    public static @Nullable CatalogFiles find(Path run) {
        return Stream.of(run, run.resolve(".."))
                .map(CatalogFiles::in)
                .filter(files -> Files.isRegularFile(files.functions) && Files.isRegularFile(files.scenarios))
                .findFirst()
                .orElse(null);
    }

    public void write(FunctionPool pool, ScenarioCatalog catalog) {
        FunctionPoolFile.write(pool, functions);
        AtomicFiles.writeText(scenarios, text(catalog));
    }

    /** Returns whether the functions are the same. */
    public boolean has(FunctionPool pool) {
        return FunctionPoolFile.text(FunctionPoolFile.read(functions)).equals(FunctionPoolFile.text(pool));
    }

    /** Returns whether the scenarios are the same. */
    public boolean has(ScenarioCatalog catalog) {
        return text(ScenarioCatalogReader.read(scenarios)).equals(text(catalog));
    }

    private static String text(ScenarioCatalog catalog) {
        return JsonRecords.tree(new Content(catalog.scenarios(), catalog.functions()))
                        .toPrettyString()
                + "\n";
    }

    /**
     * Returns the gate's file in place of an option that is not given.
     *
     * @param option name of the option
     * @param given its value; null if it is not given
     * @param trained the gate's file, which has other content
     * @throws PrpfException 78 if the option names another file
     */
    public static Path requireDefault(String option, @Nullable Path given, Path trained) {
        if (given == null) {
            return trained;
        }
        throw new InvalidConfigurationException(option + " " + given + ": differs from " + trained
                + ", with which the gate was trained; leave " + option + " out, or train a gate with this file");
    }
}
