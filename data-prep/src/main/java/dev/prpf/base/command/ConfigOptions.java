package dev.prpf.base.command;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of every command with a configuration file; a mixin. */
@OptionGroup(OptionGroup.RUN)
public class ConfigOptions extends JsonOption {
    @Option(names = "--config", paramLabel = "FILE", description = "YAML configuration; see configs/.")
    public @Nullable Path config;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Override one key of the configuration (repeatable).")
    public List<String> overrides = List.of();

    @Option(names = "--dry-run", description = "Check everything, say what would be done, do nothing.")
    public boolean dryRun;

    /**
     * Reads the configuration of a command that requires {@code --config}.
     *
     * @param command the command's name, for example {@code reasoner sft}; its sample configuration is configs/reasoner-sft.yaml
     * @throws dev.prpf.base.error.PrpfException 2 without {@code --config}, else as {@link StrictYaml#read}
     */
    public <C extends Record> C required(Class<C> type, String command) {
        if (config == null) {
            throw new UsageException(
                    command + " needs --config; configs/" + command.replace(' ', '-') + ".yaml is an example");
        }
        return StrictYaml.read(config, type, overrides);
    }
}
