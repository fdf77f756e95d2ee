package dev.prpf.cli.recipe;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.config.ConfigSchema;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.Resource;
import dev.prpf.base.workflow.Stage;
import dev.prpf.data.Language;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf init}: a folder to begin with. */
@Command(
        name = "init",
        description = "Write a recipe, five records and three functions, and print the next commands.",
        footer = "  ./prpf init my-assistant --language en")
public final class InitCommand implements Runnable {
    private static final String RECIPE = "recipe.yaml";
    private static final String SCHEMA = "recipe.schema.json";
    private static final List<String> FILES = List.of(RECIPE, "records.json", "functions.json", SCHEMA);

    @Parameters(paramLabel = "DIR", description = "Folder to write; none of the files may exist.")
    private Path folder = Path.of("");

    @Option(
            names = "--language",
            converter = Language.Option.class,
            paramLabel = "en|zh",
            defaultValue = "en",
            description = "Language of the records (default: ${DEFAULT-VALUE}).")
    private Language language = Language.EN;

    @Mixin
    private JsonOption output;

    private record Result(List<String> files, List<String> next) {}

    @Override
    public void run() {
        for (String name : FILES) {
            if (Files.exists(folder.resolve(name))) {
                throw new UsageException(folder.resolve(name) + ": exists; name another folder");
            }
        }
        FILES.forEach(name -> AtomicFiles.writeText(folder.resolve(name), content(name)));
        Path recipe = folder.resolve(RECIPE);
        Path out = Recipe.read(recipe, List.of()).out(recipe);
        List<String> files =
                FILES.stream().map(name -> folder.resolve(name).toString()).toList();
        List<String> next = Stream.of(
                        List.of("data", "validate", "--data", files.get(1), "--pool", files.get(2)),
                        List.of("train", recipe.toString()),
                        List.of("serve", out.toString()))
                .map(Stage::typed)
                .toList();
        output.printLines(
                new Result(files, next),
                () -> List.of(
                        "wrote " + String.join(", ", files),
                        "Replace records and functions by your own, then:",
                        "  " + String.join("\n  ", next)));
    }

    private String content(String name) {
        if (name.equals(SCHEMA)) {
            return ConfigSchema.of(Recipe.class) + "\n";
        }
        return Resource.text(InitCommand.class, "init/" + EnumName.of(language) + "/" + name);
    }
}
