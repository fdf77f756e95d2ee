package dev.prpf.base.command;

import dev.prpf.base.run.RunDirectory.Resume;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The mixin with the options of every command that writes a resumable run. */
@OptionGroup(OptionGroup.RUN)
public final class RunOptions extends ConfigOptions {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

    @Option(
            names = "--run-dir",
            paramLabel = "DIR",
            description = "Directory for this run's files (default: runs/<command>-<time>).")
    public @Nullable Path runDirectory;

    @Option(
            names = "--resume",
            paramLabel = "MODE",
            defaultValue = "auto",
            description = "auto, required or never (default: ${DEFAULT-VALUE}).")
    public Resume resume = Resume.AUTO;

    @Mixin
    public TrackOption tracking = new TrackOption();

    /** Returns the run directory: {@code --run-dir}, else {@code runs/<command>-<local time>}. */
    public Path runDirectory(String command) {
        String name = command + "-" + STAMP.format(LocalDateTime.now(ZoneId.systemDefault()));
        return runDirectory != null ? runDirectory : Path.of("runs", name);
    }
}
