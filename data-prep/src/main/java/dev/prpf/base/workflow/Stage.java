package dev.prpf.base.workflow;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A stage of a workflow.
 *
 * @param name the key in the record of finished stages
 * @param about a description of one line
 * @param commands the stage's prpf commands, as lists of words
 */
public record Stage(String name, String about, List<List<String>> commands) {
    /** A word that needs no quotes in any shell. */
    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    /** Returns the commands of stages by name, as shell command lines. */
    public static Map<String, List<String>> typed(Stream<Stage> stages) {
        Map<String, List<String>> typed = new LinkedHashMap<>();
        stages.forEach(stage -> typed.put(stage.name(), stage.typed()));
        return typed;
    }

    /** Returns the commands as shell command lines. */
    public List<String> typed() {
        return commands.stream().map(Stage::typed).toList();
    }

    /** Returns a command as a shell command line; words with special characters are quoted. */
    public static String typed(List<String> command) {
        StringBuilder line = new StringBuilder("./prpf");
        command.forEach(word -> line.append(' ').append(quoted(word)));
        return line.toString();
    }

    /** Returns a word, quoted for a shell if necessary. */
    public static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
