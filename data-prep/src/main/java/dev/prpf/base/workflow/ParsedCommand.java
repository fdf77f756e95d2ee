package dev.prpf.base.workflow;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * A prpf command that picocli parsed and did not run.
 *
 * @param words of the command, without {@code ./prpf}
 * @param spec of the innermost subcommand; its fields have this command's values until the tree parses another command
 * @param given values as typed, by each name of an option
 * @param problem the first error; null for a command that can run
 */
public record ParsedCommand(
        List<String> words, CommandSpec spec, Map<String, List<String>> given, @Nullable String problem) {
    private static final String RUN_DIR = "--run-dir";

    /**
     * Parses the words of a command.
     *
     * @param tree of all commands; this call makes it collect errors instead of throwing them
     */
    public static ParsedCommand of(CommandLine tree, List<String> words) {
        collectErrors(tree);
        ParseResult leaf = tree.parseArgs(words.toArray(String[]::new));
        List<Exception> errors = new ArrayList<>(leaf.errors());
        while (leaf.hasSubcommand()) {
            leaf = leaf.subcommand();
            errors.addAll(leaf.errors());
        }
        Map<String, List<String>> given = new LinkedHashMap<>();
        for (OptionSpec option : leaf.matchedOptions()) {
            for (String name : option.names()) {
                given.put(name, List.copyOf(option.originalStringValues()));
            }
        }
        String renamed = Renamings.problem("prpf", words);
        String error = errors.isEmpty() ? null : errors.get(0).getMessage();
        return new ParsedCommand(words, leaf.commandSpec(), given, renamed == null ? error : renamed);
    }

    private static void collectErrors(CommandLine tree) {
        tree.getCommandSpec().parser().collectErrors(true);
        tree.getSubcommands().values().forEach(ParsedCommand::collectErrors);
    }

    /**
     * Returns the command line that resumes a run.
     *
     * @param arguments of the run's first command line
     * @param directory of the run, which may be the command's default
     */
    public static String resuming(CommandLine tree, List<String> arguments, Path directory) {
        List<String> words = of(tree, arguments).without("--resume");
        ParsedCommand again = of(tree, words);
        return Stage.typed(
                again.takes(RUN_DIR) && !again.has(RUN_DIR) ? again.with(RUN_DIR, directory.toString()) : words);
    }

    /** Removes {@code ./prpf}, which is part of a pasted command line. */
    public static List<String> withoutLauncher(List<String> typed) {
        return !typed.isEmpty() && typed.get(0).matches("(.*/)?prpf") ? typed.subList(1, typed.size()) : typed;
    }

    /** Returns the command's name, such as {@code reasoner sft}. */
    public String name() {
        return spec.qualifiedName().replaceFirst("^\\S+ ", "");
    }

    public boolean takes(String option) {
        return spec.findOption(option) != null;
    }

    public boolean has(String option) {
        return given.containsKey(option);
    }

    /** Returns the values of an option, none if it is not given. */
    public List<String> values(String option) {
        return given.getOrDefault(option, List.of());
    }

    /** Returns the first value of an option; null if it is not given. */
    public @Nullable String value(String option) {
        return values(option).stream().findFirst().orElse(null);
    }

    /** Returns the first value of an option, or its default. */
    public @Nullable String effective(String option) {
        return has(option)
                ? value(option)
                : Objects.requireNonNull(spec.findOption(option), option).defaultValueString();
    }

    /** Returns the words with the value of an option replaced, or the option added before {@code --}. */
    public List<String> with(String option, String value) {
        List<String> changed = without(option);
        changed.addAll(end(changed), List.of(option, value));
        return changed;
    }

    /** Returns the words without an option and its value. */
    public List<String> without(String option) {
        List<String> changed = new ArrayList<>(words);
        int at = changed.subList(0, end(changed)).indexOf(option);
        if (at >= 0) {
            changed.subList(at, at + 2).clear();
        }
        changed.subList(0, end(changed)).removeIf(word -> word.startsWith(option + "="));
        return changed;
    }

    private static int end(List<String> words) {
        return words.contains("--") ? words.indexOf("--") : words.size();
    }
}
