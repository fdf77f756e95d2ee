package dev.prpf.base.command;

import dev.prpf.base.run.RunDirectory.Resume;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

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

    /** The mixin with {@code --track}, for commands that write metrics. The main class reads it before the command runs. */
    @OptionGroup(OptionGroup.RUN)
    public static final class TrackOption {
        private static final String NAME = "--track";
        /** System property with the trackers of this process. */
        private static final String PROPERTY = "prpf.track";

        @Option(
                names = NAME,
                split = ",",
                paramLabel = "TRACKER",
                converter = Tracker.Converter.class,
                description = "Also send the metrics to mlflow or tensorboard, see docs/TRACKING.md (repeatable).")
        public List<Tracker> trackers = List.of();

        /** Returns the trackers named on the command line plus those inherited from the parent process. */
        public static Set<Tracker> of(ParseResult line) {
            ParseResult last = line;
            while (last.hasSubcommand()) {
                last = last.subcommand();
            }
            Set<Tracker> all = EnumSet.noneOf(Tracker.class);
            all.addAll(last.matchedOptionValue(NAME, List.<Tracker>of()));
            Stream.of(System.getProperty(PROPERTY, "").split(",", -1))
                    .filter(name -> !name.isEmpty())
                    .map(Tracker::valueOf)
                    .forEach(all::add);
            return all;
        }

        /** Passes these trackers on to child processes started later. */
        public static void handOn(Set<Tracker> trackers) {
            System.setProperty(PROPERTY, trackers.stream().map(Tracker::name).collect(Collectors.joining(",")));
        }

        /** Returns the JVM options that pass the trackers on to a child process. */
        public static List<String> handedOn() {
            String trackers = System.getProperty(PROPERTY, "");
            return trackers.isEmpty() ? List.of() : List.of("-D" + PROPERTY + "=" + trackers);
        }

        /** A destination for a run's metrics in addition to its own files. */
        public enum Tracker {
            /** An MLflow server, configured by MLflow's environment variables. */
            MLFLOW,
            /** TensorBoard event files in the run's folder. */
            TENSORBOARD;

            /** Converts an option's value to a tracker. */
            public static final class Converter extends EnumOption<Tracker> {
                public Converter() {
                    super(Tracker.class);
                }
            }
        }
    }
}
