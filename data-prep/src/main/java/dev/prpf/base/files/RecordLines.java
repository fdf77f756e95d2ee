package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.json.JsonRecords;
import java.io.IOException;
import java.io.LineNumberReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Reads and writes records as JSON Lines with keys in snake case. Reading is strict: an unknown, missing or duplicate key, a
 * wrong type, and a value that the record's constructor rejects are errors.
 */
public final class RecordLines<T extends Record> {
    private final Class<T> type;
    private final String what;
    private final String[] optional;

    /**
     * @param what the kind of line, for messages: "rollout group"
     * @param optional keys that may be missing and then are null
     */
    public RecordLines(Class<T> type, String what, String... optional) {
        this.type = type;
        this.what = what;
        this.optional = optional;
    }

    /** Returns one line, without line terminator. */
    public String line(T record) {
        return JsonRecords.write(record);
    }

    /** Writes a file atomically; see {@link AtomicFiles}. */
    public void write(Path file, List<T> records) {
        write(file, records.iterator());
    }

    /** Writes a file atomically; memory holds one record. */
    public void write(Path file, Iterator<T> records) {
        AtomicFiles.write(file, out -> {
            while (records.hasNext()) {
                out.write((line(records.next()) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    /**
     * Reads a file line by line; memory holds one record. Blank lines are skipped.
     *
     * @param records receives the location of each record, {@code file:line}, and the record
     * @throws PrpfException 65 for an invalid line, or a file without lines
     */
    public void read(Path file, BiConsumer<String, T> records) {
        int count = 0;
        try (LineNumberReader lines = new LineNumberReader(Files.newBufferedReader(file, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isBlank()) {
                    count++;
                    String place = file + ":" + lines.getLineNumber();
                    records.accept(place, parse(place, line));
                }
            }
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
        if (count == 0) {
            throw new InvalidDataException(file + ": holds no " + what + "s");
        }
    }

    /**
     * Parses a line to a record.
     *
     * @param place the line's location for messages
     * @throws PrpfException 65 for an invalid line
     */
    public T parse(String place, String line) {
        return JsonRecords.read(place, what, line, type, optional);
    }
}
