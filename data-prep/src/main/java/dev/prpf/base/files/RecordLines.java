package dev.prpf.base.files;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
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
 * Our own records as JSON Lines, keys in snake case. Reading is strict: an unknown, missing or duplicate key, a value of another type and
 * whatever the record's constructor refuses end it with file and line.
 */
public final class RecordLines<T extends Record> {
    private final Class<T> type;
    private final String what;
    private final String[] optional;

    /**
     * @param what a line is, for messages: "rollout group"
     * @param optional keys that may be missing, which is as if they were null
     */
    public RecordLines(Class<T> type, String what, String... optional) {
        this.type = type;
        this.what = what;
        this.optional = optional;
    }

    /** One line, without its end. */
    public String line(T record) {
        return JsonRecords.write(record);
    }

    /** Writes a whole file in one step; see {@link AtomicFiles}. */
    public void write(Path file, List<T> records) {
        write(file, records.iterator());
    }

    /** As {@link #write(Path, List)}; memory holds one record. */
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
     * @param records takes each record after its place, {@code file:line}
     * @throws PrpfException 65 for a line that is no such record, or a file without lines
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
     * Reads one line.
     *
     * @param place of the line, for the message
     * @throws PrpfException 65 if it is no such record
     */
    public T parse(String place, String line) {
        return JsonRecords.read(place, what, line, type, optional);
    }
}
