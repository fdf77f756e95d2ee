package dev.prpf.cli.launch;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** A prpf command that is to run somewhere else, read here, so that a wrong word is found before the job waits for its turn. */
final class LaunchedCommand {
    private static final Pattern CUDA = Pattern.compile("(?m)^\\s*device:\\s*cuda\\b");

    private final List<String> words;
    private final ParseResult leaf;

    private LaunchedCommand(List<String> words, ParseResult leaf) {
        this.words = List.copyOf(words);
        this.leaf = leaf;
    }

    /**
     * Reads a command.
     *
     * @param commands makes the whole tree of commands, unused
     * @param typed its words, with or without {@code ./prpf} before them
     * @throws PrpfException 2 if there is none, or it is not one of prpf's with its options
     */
    static LaunchedCommand parse(Supplier<CommandLine> commands, List<String> typed) {
        boolean launcher = !typed.isEmpty() && typed.get(0).matches("(.*/)?prpf");
        List<String> words = launcher ? typed.subList(1, typed.size()) : typed;
        if (words.isEmpty()) {
            throw new UsageException("launch needs a COMMAND behind --, as: ./prpf launch --to local -- par sft …");
        }
        for (String word : words) {
            if (word.indexOf('\n') >= 0 || word.indexOf('\0') >= 0) {
                throw new UsageException(
                        "COMMAND: \"" + word + "\" has a line's end in it, which a job file cannot hold");
            }
        }
        try {
            ParseResult leaf = commands.get().parseArgs(words.toArray(String[]::new));
            while (leaf.hasSubcommand()) {
                leaf = leaf.subcommand();
            }
            if (!(leaf.commandSpec().userObject() instanceof Callable
                    || leaf.commandSpec().userObject() instanceof Method)) {
                throw new UsageException(
                        "COMMAND " + String.join(" ", words) + ": is no command that does work; known are "
                                + leaf.commandSpec().subcommands().keySet());
            }
            return new LaunchedCommand(words, leaf);
        } catch (CommandLine.ParameterException e) {
            throw new UsageException("COMMAND " + String.join(" ", words) + ": " + e.getMessage());
        }
    }

    /** As {@code par sft}. */
    String name() {
        return leaf.commandSpec().qualifiedName().replaceFirst("^\\S+ ", "");
    }

    List<String> words() {
        return words;
    }

    boolean takes(String option) {
        return leaf.commandSpec().findOption(option) != null;
    }

    /** What the command line says of an option, null where it says nothing. */
    @Nullable
    String given(String option) {
        OptionSpec matched = leaf.matchedOption(option);
        return matched == null ? null : String.valueOf(matched.stringValues().get(0));
    }

    /** The words with an option of one value set anew, or added. */
    List<String> with(String option, String value) {
        int end = words.contains("--") ? words.indexOf("--") : words.size(); // what follows is of a sweep's members
        List<String> changed = new ArrayList<>();
        for (int i = 0; i < end; i++) {
            if (words.get(i).equals(option)) {
                i++; // its value
            } else if (!words.get(i).startsWith(option + "=")) {
                changed.add(words.get(i));
            }
        }
        changed.add(option);
        changed.add(value);
        changed.addAll(words.subList(end, words.size()));
        return changed;
    }

    /** @throws PrpfException 78 if it names a configuration that is not here */
    void requireConfiguration() {
        String config = given("--config");
        if (config != null && !Files.isRegularFile(Path.of(config))) {
            throw new InvalidConfigurationException(
                    "COMMAND: --config " + config + ": no such file; the job would leave with 78 on its node");
        }
    }

    /** @throws PrpfException 2 if it could not go on where it was stopped */
    void requireResumable() {
        if ("never".equalsIgnoreCase(given("--resume"))) {
            throw new UsageException(
                    "COMMAND: --resume never would refuse to go on when the job is run again; leave it out");
        }
    }

    /** Whether it trains or measures the perceiver on a GPU, as its configuration says. */
    boolean perceiverOnGpu() {
        if (!name().startsWith("mpp ")) {
            return false;
        }
        OptionSpec set = leaf.matchedOption("--set");
        if (set != null && set.stringValues().stream().anyMatch(value -> value.matches("(.*\\.)?device=.*"))) {
            return set.stringValues().stream().anyMatch(value -> value.matches("(.*\\.)?device=cuda"));
        }
        String config = given("--config");
        try {
            return config != null
                    && Files.isRegularFile(Path.of(config))
                    && CUDA.matcher(Files.readString(Path.of(config))).find();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + config, e);
        }
    }
}
