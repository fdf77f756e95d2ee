package dev.prpf.base.workflow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Old names of commands, options and shipped configurations. An old name is an error that shows the whole new command line. */
public final class Renamings {
    /** All renamings, as {@code CHANGELOG.md} lists them; a command before the group that begins with its words. */
    public static final List<Renaming> TABLE = List.of(
            new Renaming("", "par serve", "serve"),
            new Renaming("", "mpp", "gate"),
            new Renaming("", "par", "reasoner"),
            new Renaming("", "sweep", "grid"),
            new Renaming("", "data sft", "data sft-set"),
            new Renaming("", "data rollouts", "data rollout-set"),
            new Renaming("prpf-spark", "sft", "sft-set"),
            new Renaming("eval run", "--gate on", "--gating on"),
            new Renaming("eval run", "--gate off", "--gating off"),
            new Renaming("", "--mpp", "--gate"),
            new Renaming("gate sweep", "--run", "--gate"),
            new Renaming("gate predict", "--run", "--gate"),
            new Renaming("", "--par", "--reasoner"),
            new Renaming("", "--model", "--reasoner"),
            new Renaming("", "--perceiver-par", "--perceiver-model"),
            new Renaming("eval run", "--top-k", "--shortlist"),
            new Renaming("gate sweep", "--top-k", "--shortlist"),
            new Renaming("data export", "--set", "--examples"),
            new Renaming("data export", "--test-set", "--test-examples"),
            new Renaming("prpf-spark export", "--set", "--examples"),
            new Renaming("data encode", "--pictures", "--image-paths"),
            new Renaming("", "mpp*.yaml", "gate*.yaml"),
            new Renaming("", "par-*.yaml", "reasoner-*.yaml"),
            new Renaming("", "data-sft*.yaml", "data-sft-set*.yaml"),
            new Renaming("", "data-rollouts*.yaml", "data-rollout-set*.yaml"));

    /** Commands that run other commands, each written after a {@code --}. */
    private static final Set<String> NESTING = Set.of("grid", "launch");

    private static final String THEN = "--";
    private static final String AXIS = "--sweep";

    private final String program;
    private final Set<String> changes = new LinkedHashSet<>();
    private final List<String> commands = new ArrayList<>();

    /**
     * An old name and its new name.
     *
     * @param where a program, or a command by its new name, that the renaming applies to; empty for all
     * @param old a command, an option, an option with one of its values, or a name of shipped configurations
     * @param now the words in place of the old ones
     */
    public record Renaming(String where, String old, String now) {
        private boolean isOption() {
            return old.startsWith("--");
        }

        private boolean isFile() {
            return old.endsWith(".yaml");
        }

        private boolean appliesTo(String command) {
            return where.isEmpty() || (command + " ").startsWith(where + " ");
        }

        /** Replaces the old name at the beginning of a word: its first word, or its part before {@code *}. */
        private String replacing(String word) {
            return now.split("[ *]", 2)[0] + word.substring(old.split("[ *]", 2)[0].length());
        }
    }

    private Renamings(String program) {
        this.program = program;
    }

    /**
     * Describes the old names in a command line and shows the new command line.
     *
     * @param program {@code prpf} or {@code prpf-spark}
     * @param words of the command line, without the program
     * @return null for a command line without old names
     */
    public static @Nullable String problem(String program, List<String> words) {
        Renamings found = new Renamings(program);
        List<String> renamed = found.renamed(words, false);
        found.renameAxes(renamed);
        if (found.changes.isEmpty()) {
            return null;
        }
        String start = program.equals("prpf") ? "./prpf " : program + " ";
        return String.join(", ", found.changes) + " (CHANGELOG.md); write: "
                + renamed.stream().map(Stage::quoted).collect(Collectors.joining(" ", start, ""));
    }

    /** @param members whether each {@code --} begins a further command */
    private List<String> renamed(List<String> words, boolean members) {
        int end = words.contains(THEN) ? words.indexOf(THEN) : words.size();
        List<String> renamed = command(words.subList(0, end));
        if (end < words.size()) {
            boolean nested = members || (end > 0 && NESTING.contains(renamed.get(0)));
            List<String> rest = words.subList(end + 1, words.size());
            renamed.add(THEN);
            renamed.addAll(nested ? renamed(rest, true) : rest);
        }
        return renamed;
    }

    private List<String> command(List<String> typed) {
        List<String> words = new ArrayList<>(ParsedCommand.withoutLauncher(typed));
        int options = 0;
        while (options < words.size() && !words.get(options).startsWith("-")) {
            options++;
        }
        String start = program.equals("prpf") ? "" : program + " ";
        String names = String.join(" ", words.subList(0, options));
        for (Renaming row : TABLE) {
            if (!row.isOption() && !row.isFile() && row.appliesTo(program) && (names + " ").startsWith(row.old + " ")) {
                words.subList(0, row.old.split(" ").length).clear();
                words.addAll(0, List.of(row.now.split(" ")));
                names = row.now + names.substring(row.old.length());
                changes.add(row.old + " is now " + row.now);
                break;
            }
        }
        commands.add(start + names);
        for (int i = 0; i < words.size(); i++) {
            String next = i + 1 < words.size() ? words.get(i + 1) : "";
            words.set(i, option(words.get(i), next, start + names));
        }
        words.replaceAll(this::file);
        return words;
    }

    /**
     * Renames an option in its word.
     *
     * @param next word, which may be the option's value
     * @param of command that has the option
     */
    private String option(String word, String next, String of) {
        String text = (word.replaceFirst("=", " ").replace(',', ' ') + " " + next + " ").toLowerCase(Locale.ROOT);
        for (Renaming row : TABLE) {
            if (row.isOption() && text.startsWith(row.old + " ") && row.appliesTo(of)) {
                changes.add(row.old + " is now " + row.now);
                return row.replacing(word);
            }
        }
        return word;
    }

    /** Renames a shipped configuration that is missing under its old name. */
    private String file(String word) {
        if (!word.endsWith(".yaml")) {
            return word;
        }
        int start = word.startsWith("--") ? word.indexOf('=') + 1 : 0;
        Path path = Path.of(word.substring(start));
        String name = path.getFileName().toString();
        for (Renaming row : TABLE) {
            if (row.isFile() && name.startsWith(row.old.substring(0, row.old.indexOf('*')))) {
                Path renamed = path.resolveSibling(row.replacing(name));
                if (!Files.exists(path) && Files.exists(renamed)) {
                    changes.add(path + " is now " + renamed);
                    return word.substring(0, start) + renamed;
                }
            }
        }
        return word;
    }

    /** Renames options that are axes of a grid; they are options of each member's first command. */
    private void renameAxes(List<String> words) {
        String first = commands.get(Math.min(1, commands.size() - 1));
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            int start = word.startsWith(AXIS + "=") ? AXIS.length() + 1 : 0;
            if (start > 0 || (i > 0 && words.get(i - 1).equals(AXIS))) {
                String axis = word.substring(start);
                String renamed = option(axis, "", first);
                words.set(i, word.substring(0, start) + renamed);
                String old = "{" + axis.split("=", 2)[0] + "}";
                words.replaceAll(one -> one.replace(old, "{" + renamed.split("=", 2)[0] + "}"));
            }
        }
    }
}
