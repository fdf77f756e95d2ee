package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of a JSON Lines file by key. Memory holds only keys and offsets, so files larger than memory can be joined. Reads
 * in the file's order are fast. The file must not change meanwhile.
 */
public final class IndexedRecords<T extends Record> implements AutoCloseable {
    private static final int BLOCK = 1 << 18;

    private final Path file;
    private final RecordLines<T> lines;
    private final FileChannel channel;
    private final Map<String, Integer> lineOf = new LinkedHashMap<>(); // from 0
    private long[] starts = new long[1024]; // of each line, and the end of the last
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK).limit(0);
    private long blockStart;

    /**
     * Reads the file once; every line is checked, blank ones are skipped.
     *
     * @param rule the keys' rule for messages, such as "a sample has one prediction"
     * @param keyOf returns a record's key, given its location {@code file:line}; called once for each record
     * @throws dev.prpf.base.error.PrpfException 65, naming file and line, for an invalid record, a duplicate key, or a file
     *     without records
     */
    public IndexedRecords(Path file, String rule, RecordLines<T> lines, BiFunction<String, T, String> keyOf) {
        this.file = file;
        this.lines = lines;
        try {
            this.channel = FileChannel.open(file);
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
        try {
            LineFile.scan(channel, (number, end, line, ended) -> index(number, end, line, rule, keyOf));
            if (lineOf.isEmpty()) {
                throw new InvalidDataException(file + ": holds no records; " + rule);
            }
        } catch (IOException e) {
            close();
            throw IoFailure.reading(file, e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void index(int number, long end, String line, String rule, BiFunction<String, T, String> keyOf) {
        if (number == starts.length) {
            starts = Arrays.copyOf(starts, 2 * number);
        }
        starts[number] = end;
        if (line.isBlank()) {
            return;
        }
        String place = place(number - 1);
        String key = keyOf.apply(place, lines.parse(place, line));
        Integer before = lineOf.putIfAbsent(key, number - 1);
        if (before != null) {
            throw new InvalidDataException(place + ": id " + key + " is already in line " + (before + 1) + "; " + rule);
        }
    }

    private String place(int line) {
        return file + ":" + (line + 1);
    }

    /** Returns all keys in the file's order. */
    public Set<String> keys() {
        return Collections.unmodifiableSet(lineOf.keySet());
    }

    /** Returns the record of a key, or null without one. */
    public @Nullable T get(String key) {
        String line = line(key);
        return line == null ? null : lines.parse(place(Objects.requireNonNull(lineOf.get(key))), line);
    }

    /** Returns the line of a key with its line terminator, or null without one. */
    public @Nullable String line(String key) {
        Integer number = lineOf.get(key);
        return number == null ? null : IoFailure.whileReading(file, () -> line(starts[number], starts[number + 1]));
    }

    private String line(long from, long to) throws IOException {
        int length = Math.toIntExact(to - from);
        if (length > BLOCK) {
            ByteBuffer large = ByteBuffer.allocate(length);
            fill(large, from);
            return new String(large.array(), StandardCharsets.UTF_8);
        }
        if (from < blockStart || to > blockStart + block.limit()) {
            fill(block.clear(), from);
            blockStart = from;
            block.flip();
        }
        return new String(block.array(), (int) (from - blockStart), length, StandardCharsets.UTF_8);
    }

    private void fill(ByteBuffer buffer, long from) throws IOException {
        int read = 0;
        while (buffer.hasRemaining() && read >= 0) {
            read = channel.read(buffer, from + buffer.position());
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }
}
