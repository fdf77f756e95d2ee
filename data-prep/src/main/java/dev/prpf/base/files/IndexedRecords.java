package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of a JSON Lines file by key. Memory holds only keys and offsets, so files larger than memory can be joined. The
 * file must not change meanwhile. Not thread-safe.
 */
public final class IndexedRecords<T extends Record> implements AutoCloseable {
    private final Path file;
    private final RecordLines<T> lines;
    private final FileChannel channel;
    private final Map<String, Extent> extents = new LinkedHashMap<>();
    private long next;

    /** The bytes of a line with its line terminator. */
    private record Extent(int number, long start, int length) {}

    /**
     * Reads the file once; every line is checked, blank ones are skipped.
     *
     * @param rule the keys' rule for messages, such as "a sample has one prediction"
     * @param keyOf returns a record's key, given its location {@code file:line}, or null to skip it; called once for each record
     * @throws dev.prpf.base.error.PrpfException 65, naming file and line, for an invalid record, a duplicate key, or a file
     *     without records
     */
    public IndexedRecords(Path file, String rule, RecordLines<T> lines, BiFunction<String, T, @Nullable String> keyOf) {
        this.file = file;
        this.lines = lines;
        this.channel = IoFailure.whileReading(file, () -> FileChannel.open(file));
        try {
            LineFile.scan(channel, (number, end, line, ended) -> index(number, end, line, rule, keyOf));
            if (extents.isEmpty()) {
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

    private void index(int number, long end, String line, String rule, BiFunction<String, T, @Nullable String> keyOf) {
        Extent extent = new Extent(number, next, Math.toIntExact(end - next));
        next = end;
        if (line.isBlank()) {
            return;
        }
        String key = keyOf.apply(place(extent), lines.parse(place(extent), line));
        Extent before = key == null ? null : extents.putIfAbsent(key, extent);
        if (before != null) {
            throw new InvalidDataException(
                    place(extent) + ": id " + key + " is already in line " + before.number() + "; " + rule);
        }
    }

    private String place(Extent line) {
        return file + ":" + line.number();
    }

    /** Returns all keys in the file's order. */
    public Set<String> keys() {
        return Collections.unmodifiableSet(extents.keySet());
    }

    /** Returns the record of a key, or null without one. */
    public @Nullable T get(String key) {
        Extent extent = extents.get(key);
        return extent == null ? null : lines.parse(place(extent), line(extent));
    }

    /** Returns the line of a key with its line terminator, or null without one. */
    public @Nullable String line(String key) {
        Extent extent = extents.get(key);
        return extent == null ? null : line(extent);
    }

    private String line(Extent extent) {
        byte[] line = IoFailure.whileReading(file, () -> Channels.newInputStream(channel.position(extent.start()))
                .readNBytes(extent.length()));
        return new String(line, StandardCharsets.UTF_8);
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
