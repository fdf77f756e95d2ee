package dev.prpf.base.workflow;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A part of long work.
 *
 * @param name its key among the finished stages
 * @param about one line on what it does
 * @param commands the prpf commands it runs, as a user would type them, word by word
 */
public record Stage(String name, String about, List<List<String>> commands) {
    /** A word that every shell takes as it stands. */
    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    public Stage {
        commands = commands.stream().map(List::copyOf).toList();
    }

    /** Returns the commands of stages by name, as lines of a terminal. */
    public static Map<String, List<String>> typed(Stream<Stage> stages) {
        Map<String, List<String>> typed = new LinkedHashMap<>();
        stages.forEach(stage -> typed.put(stage.name(), stage.typed()));
        return typed;
    }

    /** The commands as lines of a terminal. */
    public List<String> typed() {
        return commands.stream().map(Stage::typed).toList();
    }

    /** A command as a line of a terminal; words with characters that a shell may read otherwise stand in quotes. */
    public static String typed(List<String> command) {
        StringBuilder line = new StringBuilder("./prpf");
        command.forEach(word -> line.append(' ').append(quoted(word)));
        return line.toString();
    }

    /** A word as a shell reads it back. */
    public static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
