package dev.prpf.cli.recipe;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.ConfigSchema;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code prpf config}: the shipped configurations and what a file makes of them. */
@Command(
        name = "config",
        description = "List, show and copy the shipped configurations; a file of your own states only what differs.")
public final class ConfigCommand {
    private static final String NAME = "A name that config list prints.";

    /** The names that completion offers. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ShippedConfigs.files().keySet().iterator();
        }
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the shipped configurations, one line each.",
            footer = "  ./prpf config list")
    void list() {
        ShippedConfigs.files()
                .forEach((name, file) -> ResultStream.line("%-38s %s".formatted(name, ShippedConfigs.summary(file))));
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Print a configuration with every key, and the comments of its file and of the defaults.",
            footer = {
                "  ./prpf config show gate",
                "  ./prpf config show reasoner-sft --config mine.yaml --set training.epochs=5"
            })
    void show(
            @Parameters(paramLabel = "NAME", completionCandidates = Names.class, description = NAME) String name,
            @Option(
                            names = "--config",
                            paramLabel = "FILE",
                            description = "Show this file, completed with the defaults of NAME.")
                    @Nullable
                    Path config,
            @Option(
                            names = "--set",
                            paramLabel = "KEY=VALUE",
                            description = "Override one key of the configuration (repeatable).")
                    @Nullable
                    List<String> overrides) {
        Path file = ShippedConfigs.file(name);
        Class<? extends Record> type = ShippedConfigs.type(name).orElse(null);
        boolean changed = config != null || overrides != null;
        if (type != null
                && (changed || !name.equals(ShippedConfigs.RECIPE))) { // no recipe is complete without its data
            List<String> changes = Objects.requireNonNullElse(overrides, List.of());
            ResultStream.text(StrictYaml.resolved(config == null ? file : config, type, changes));
        } else if (changed) {
            throw new UsageException(name + " has no defaults to complete a file with; leave out --config and --set");
        } else {
            ResultStream.text(IoFailure.whileReading(file, () -> Files.readString(file)));
        }
    }

    @Command(
            name = "copy",
            mixinStandardHelpOptions = true,
            description = "Copy a shipped configuration to a file to edit, and name the configuration whose values"
                    + " replace deleted keys.",
            footer = "  ./prpf config copy reasoner-sft mine.yaml")
    void copy(
            @Parameters(index = "0", paramLabel = "NAME", completionCandidates = Names.class, description = NAME)
                    String name,
            @Parameters(
                            index = "1",
                            arity = "0..1",
                            paramLabel = "FILE",
                            description = "The new file (default: NAME.yaml in this folder).")
                    @Nullable
                    Path target) {
        Path file = ShippedConfigs.file(name);
        Path copy = target == null ? Path.of(String.valueOf(file.getFileName())) : target;
        if (Files.exists(copy)) {
            throw new UsageException(copy + ": exists; name another file");
        }
        AtomicFiles.writeText(copy, IoFailure.whileReading(file, () -> Files.readString(file)));
        ResultStream.line("wrote " + copy
                + ShippedConfigs.type(name)
                        .map(ShippedConfigs::defaultsOf)
                        .map(defaults ->
                                "; a key that you delete has the value that ./prpf config show " + defaults + " prints")
                        .orElse(""));
    }

    @Command(
            name = "schema",
            mixinStandardHelpOptions = true,
            description = "Print the JSON Schema of a configuration, with which editors complete its keys.",
            footer = "  ./prpf config schema recipe > recipe.schema.json")
    void schema(@Parameters(paramLabel = "NAME", completionCandidates = Names.class, description = NAME) String name) {
        Class<? extends Record> type = ShippedConfigs.type(name)
                .orElseThrow(() -> new UsageException(
                        name + " has no keys with defaults; name another configuration of ./prpf config list"));
        ResultStream.line(ConfigSchema.of(type));
    }
}
