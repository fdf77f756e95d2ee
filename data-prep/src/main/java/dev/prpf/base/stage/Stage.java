package dev.prpf.base.stage;

import java.util.List;
import java.util.regex.Pattern;

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
