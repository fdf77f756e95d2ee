package dev.prpf.base.command;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** {@code --track}, of every command that writes a run's metrics; a mixin. The main class reads it, before the command runs. */
public final class TrackOption {
    private static final String NAME = "--track";
    /** Set while this process tracks. */
    private static final String PROPERTY = "prpf.track";

    @Option(
            names = NAME,
            split = ",",
            paramLabel = "TRACKER",
            converter = Tracker.Converter.class,
            description = "Also send the metrics to mlflow or tensorboard, see docs/TRACKING.md (repeatable).")
    public List<Tracker> trackers = List.of();

    /** What a command line asks for, and the process that runs this one tracks with; empty where neither is. */
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

    /** From now on processes of our own track with these, too. */
    public static void handOn(Set<Tracker> trackers) {
        System.setProperty(PROPERTY, trackers.stream().map(Tracker::name).collect(Collectors.joining(",")));
    }

    /** Options of Java for such a process. */
    public static List<String> handedOn() {
        String trackers = System.getProperty(PROPERTY, "");
        return trackers.isEmpty() ? List.of() : List.of("-D" + PROPERTY + "=" + trackers);
    }
}
