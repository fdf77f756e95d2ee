package dev.prpf.base.files;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Appends lines of different ids to a file and knows which stand in it, so that an interrupted run goes on where it was ({@link LineFile}).
 */
public final class KeyedLines implements AutoCloseable {
    private final Set<String> ids = new HashSet<>();
    private final LineFile lines;
    private final String rule;

    /**
     * Opens a file, which may exist; its blank lines are skipped.
     *
     * @param rule that ids follow, for messages: "a sample has one prediction"
     * @param idOf reads a line, given its place {@code file:line} and its text
     * @throws PrpfException 65 for an id that stands twice, 69 if the file cannot be written
     */
    public KeyedLines(Path file, String rule, BiFunction<String, String, String> idOf) {
        this.rule = rule;
        lines = LineFile.open(file, (number, line) -> {
            String place = file + ":" + number;
            if (!line.isBlank() && !ids.add(idOf.apply(place, line))) {
                throw new InvalidDataException(place + ": its id stands in a line above already; " + rule);
            }
        });
    }

    /** Whether the file has a line of that id. */
    public boolean has(String id) {
        return ids.contains(id);
    }

    /** How many lines the file has. */
    public int size() {
        return ids.size();
    }

    /**
     * Appends a line; it is durable after {@link #flush()}.
     *
     * @throws IllegalArgumentException if the file has the id already
     */
    public void append(String id, String line) {
        if (!ids.add(id)) {
            throw new IllegalArgumentException(lines.file() + ": id " + id + " stands there already; " + rule);
        }
        lines.append(line);
    }

    /** Makes what was appended durable. */
    public void flush() {
        lines.flush();
    }

    @Override
    public void close() {
        lines.close();
    }
}
