package dev.prpf.base.command;

import dev.prpf.base.run.Resume;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every command that makes a run which can be resumed; a mixin. */
public final class RunOptions extends ConfigOptions {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

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

    @Mixin
    public TrackOption tracking = new TrackOption();

    /** Where a run of this command goes: {@code --run-dir}, else {@code runs/<command>-<local time>}. */
    public Path runDirectory(String command) {
        String name = command + "-" + STAMP.format(LocalDateTime.now(ZoneId.systemDefault()));
        return runDirectory != null ? runDirectory : Path.of("runs", name);
    }
}
