package dev.prpf.cli.runs;

import dev.prpf.base.run.RunOverview;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** The command line that resumes a run: the one that began it, with the directory it chose by itself. */
final class ResumeCommand {
    private static final String DIRECTORY = "--run-dir";
    private static final String RESUME = "--resume";
    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    private final CommandLine commands;
    private final Map<Path, RunOverview> runs;

    /** @param runs all that were found, since some runs are parts of others */
    ResumeCommand(CommandLine commands, List<RunOverview> runs) {
        this.commands = commands;
        this.runs = runs.stream().collect(Collectors.toMap(RunOverview::directory, Function.identity()));
    }

    String of(RunOverview run) {
        List<String> words = new ArrayList<>(List.of("./prpf"));
        List<String> arguments = run.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals(RESUME)) {
                i++; // its value
            } else if (!argument.startsWith(RESUME + "=")) {
                words.add(argument);
            }
        }
        boolean named = arguments.stream()
                .anyMatch(argument -> argument.equals(DIRECTORY) || argument.startsWith(DIRECTORY + "="));
        if (!named && takesDirectory(run.command())) {
            words.add(DIRECTORY);
            words.add(whole(run).toString());
        }
        return words.stream().map(ResumeCommand::quoted).collect(Collectors.joining(" "));
    }

    private boolean takesDirectory(@Nullable String command) {
        CommandLine line = commands;
        for (String word : String.valueOf(command).split(" ", -1)) {
            line = line == null ? null : line.getSubcommands().get(word);
        }
        return line != null && line.getCommandSpec().findOption(DIRECTORY) != null;
    }

    /** The trainings of several seeds or folds are runs inside the run of the command line that began them all. */
    private Path whole(RunOverview run) {
        Path directory = run.directory();
        for (Path parent = directory.getParent(); parent != null; parent = parent.getParent()) {
            RunOverview outer = runs.get(parent);
            if (outer != null && outer.arguments().equals(run.arguments())) {
                directory = parent;
            }
        }
        return directory;
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
