package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.workflow.ParsedCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** A prpf command that a job runs, parsed at submission, so that errors show before the job waits in a queue. */
record LaunchedCommand(ParsedCommand parsed) {
    private static final Pattern CUDA = Pattern.compile("(?m)^\\s*device:\\s*cuda\\b");

    /**
     * Parses and checks a command.
     *
     * @param typed its words, with or without a leading {@code ./prpf}
     * @throws PrpfException 2 if the command is missing, unknown or has unknown options
     */
    static LaunchedCommand parse(CommandLine tree, List<String> typed) {
        List<String> words = ParsedCommand.withoutLauncher(typed);
        if (words.isEmpty()) {
            throw new UsageException("launch needs a COMMAND after --, as: ./prpf launch --to local -- reasoner sft …");
        }
        for (String word : words) {
            if (word.indexOf('\n') >= 0 || word.indexOf('\0') >= 0) {
                throw new UsageException("COMMAND: \"" + word + "\" has a newline, which a job file cannot hold");
            }
        }
        ParsedCommand parsed = ParsedCommand.of(tree, words);
        String place = "COMMAND " + String.join(" ", words) + ": ";
        if (parsed.problem() != null) {
            throw new UsageException(place + parsed.problem());
        }
        Object command = parsed.spec().userObject();
        boolean runs = command instanceof Runnable || command instanceof Callable || command instanceof Method;
        if (!runs || parsed.spec() == parsed.spec().root()) {
            throw new UsageException(place + "needs a subcommand, one of "
                    + parsed.spec().subcommands().keySet());
        }
        return new LaunchedCommand(parsed);
    }

    /** @throws PrpfException 78 if its configuration file is missing */
    void requireConfiguration() {
        String config = parsed.value("--config");
        if (config != null && !Files.isRegularFile(Path.of(config))) {
            throw new InvalidConfigurationException(
                    "COMMAND: --config " + config + ": no such file; the job would exit with 78 on its node");
        }
    }

    /** @throws PrpfException 2 if it could not resume after a stop */
    void requireResumable() {
        if ("never".equalsIgnoreCase(parsed.value("--resume"))) {
            throw new UsageException(
                    "COMMAND: --resume never would refuse to resume when the job runs again; leave it out");
        }
    }

    /** Returns whether the configuration puts the perceiver of a {@code gate} command on a GPU. */
    boolean perceiverOnGpu() {
        if (!parsed.name().startsWith("gate ")) {
            return false;
        }
        List<String> set = parsed.values("--set");
        if (set.stream().anyMatch(value -> value.matches("(.*\\.)?device=.*"))) {
            return set.stream().anyMatch(value -> value.matches("(.*\\.)?device=cuda"));
        }
        String config = parsed.value("--config");
        try {
            return config != null
                    && Files.isRegularFile(Path.of(config))
                    && CUDA.matcher(Files.readString(Path.of(config))).find();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + config, e);
        }
    }
}
