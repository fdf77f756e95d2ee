package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiFunction;

/** Appends lines with unique ids to a file and knows its ids, so that an interrupted run resumes ({@link LineFile}). */
public final class KeyedLines implements AutoCloseable {
    private final Set<String> ids = new HashSet<>();
    private final LineFile lines;
    private final String rule;

    /**
     * Opens a file, which may exist; its blank lines are skipped.
     *
     * @param rule the rule for ids, for messages: "a sample has one prediction"
     * @param idOf returns the id of a line, given its location {@code file:line} and its text
     * @throws PrpfException 65 for a duplicate id, 69 if the file cannot be written
     */
    public KeyedLines(Path file, String rule, BiFunction<String, String, String> idOf) {
        this.rule = rule;
        lines = LineFile.open(file, (number, line) -> {
            String place = file + ":" + number;
            if (!line.isBlank() && !ids.add(idOf.apply(place, line))) {
                throw new InvalidDataException(place + ": its id is a duplicate of an earlier line's; " + rule);
            }
        });
    }

    /** Returns whether the file has a line with an id. */
    public boolean has(String id) {
        return ids.contains(id);
    }

    public int size() {
        return ids.size();
    }

    /**
     * Appends a line; {@link #flush()} syncs it to disk.
     *
     * @throws IllegalArgumentException for a duplicate id
     */
    public void append(String id, String line) {
        if (!ids.add(id)) {
            throw new IllegalArgumentException(lines.file() + ": id " + id + " is a duplicate; " + rule);
        }
        lines.append(line);
    }

    /** Syncs appended lines to disk. */
    public void flush() {
        lines.flush();
    }

    @Override
    public void close() {
        lines.close();
    }
}
