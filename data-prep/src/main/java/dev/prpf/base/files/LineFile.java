package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An append-only file of lines that survives crashes: opening it again drops an incomplete last line. */
public final class LineFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LineFile.class);
    private static final int BLOCK = 1 << 16;

    private final Path file;
    private final FileChannel channel;

    private LineFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Opens a file, which may exist; memory holds one of its lines.
     *
     * @param reader receives the file's lines and their numbers from 1; if it throws, the file does not change
     * @throws PrpfException 69 if it cannot be written, or another writes it
     */
    public static LineFile open(Path file, BiConsumer<Integer, String> reader) {
        return open(file, reader, line -> true);
    }

    /**
     * Opens a file of records of several lines; lines after the last complete record are dropped too.
     *
     * @param ends whether a line is the last one of a record
     */
    public static LineFile open(Path file, BiConsumer<Integer, String> reader, Predicate<String> ends) {
        if (PendingFile.isSpecial(file)) {
            throw new UnavailableException("cannot write " + file
                    + ": it is not a regular file, but its lines must be readable after a stop; name a file");
        }
        try {
            Files.createDirectories(file.toAbsolutePath().resolveSibling("."));
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                return new LineFile(file, lockedAndRead(file, channel, reader, ends));
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    /** Locks the channel, reads its complete lines, and positions it after the last record. */
    private static FileChannel lockedAndRead(
            Path file, FileChannel channel, BiConsumer<Integer, String> reader, Predicate<String> ends)
            throws IOException {
        if (!LockFile.taken(channel)) {
            throw new UnavailableException(
                    file + ": another process is writing this file; wait for it, or name another");
        }
        long whole = read(channel, reader, ends);
        if (whole < channel.size()) {
            LOG.warn(
                    "{}: dropped {} bytes of an incomplete last line; its record will be made again",
                    file,
                    channel.size() - whole);
        }
        return channel.truncate(whole).position(whole);
    }

    /** Returns the number of bytes up to the end of the last complete record. */
    private static long read(FileChannel channel, BiConsumer<Integer, String> reader, Predicate<String> ends)
            throws IOException {
        long[] whole = {0};
        scan(channel, (number, end, text, ended) -> {
            if (ended) {
                reader.accept(number, text);
                whole[0] = ends.test(text) ? end : whole[0];
            }
        });
        return whole[0];
    }

    /** Receives the lines of a file. */
    interface LineReader {
        /**
         * @param number the line's number, from 1
         * @param end the line's end as a byte offset, after its line feed
         * @param ended whether the line has a line feed; only the last line of a file may lack it
         */
        void read(int number, long end, String text, boolean ended);
    }

    /** Reads all lines of a file, also an empty last one; memory holds one line. */
    static void scan(FileChannel channel, LineReader reader) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(BLOCK);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int number = 1;
        long at = 0;
        for (; channel.read(block.clear(), at) >= 0; at += block.position()) {
            int from = 0;
            for (int i = 0; i < block.position(); i++) {
                if (block.get(i) == '\n') {
                    line.write(block.array(), from, i - from);
                    from = i + 1;
                    reader.read(number++, at + from, line.toString(StandardCharsets.UTF_8), true);
                    line.reset();
                }
            }
            line.write(block.array(), from, block.position() - from);
        }
        reader.read(number, at, line.toString(StandardCharsets.UTF_8), false);
    }

    public Path file() {
        return file;
    }

    /** Appends a line; it is durable after {@link #flush()}. */
    public void append(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        IoFailure.whileWriting(file, () -> Channels.newOutputStream(channel).write(bytes));
    }

    /** Makes appended lines durable. */
    public void flush() {
        IoFailure.whileWriting(file, () -> channel.force(false));
    }

    @Override
    public void close() {
        flush();
        IoFailure.whileWriting(file, channel::close);
    }
}
