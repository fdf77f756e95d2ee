package dev.prpf.data.command;

import dev.prpf.data.run.Resume;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options every command shares; a mixin. */
public final class CommonOptions {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

    @Option(names = "--config", paramLabel = "FILE", description = "YAML configuration; see configs/.")
    public @Nullable Path config;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Override one key of the configuration (repeatable).")
    public List<String> overrides = List.of();

    @Option(
            names = "--run-dir",
            paramLabel = "DIR",
            description = "Where this run's files go (default: runs/<command>-<time>).")
    public @Nullable Path runDirectory;

    @Option(
            names = "--resume",
            paramLabel = "MODE",
            defaultValue = "auto",
            description = "auto, required or never (default: ${DEFAULT-VALUE}).")
    public Resume resume = Resume.AUTO;

    @Option(names = "--json", description = "The result as JSON on stdout; all else on stderr.")
    public boolean json;

    @Option(names = "--dry-run", description = "Check everything, say what would be done, do nothing.")
    public boolean dryRun;

    /** Where a run of this command goes: {@code --run-dir}, else {@code runs/<command>-<local time>}. */
    public Path runDirectory(String command) {
        return runDirectory != null
                ? runDirectory
                : Path.of(
                        "runs",
                        command + "-"
                                + LocalDateTime.now(ZoneId.systemDefault()).format(STAMP));
    }
}
