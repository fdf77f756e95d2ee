package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file that grows by lines and outlives its process: a last line that was cut off is dropped when it is opened again. */
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
     * @param reader is given the lines that stand in it, each behind its number, from 1; where it throws, the file stays as it is
     * @throws PrpfException 69 if it cannot be written, or another writes it
     */
    public static LineFile open(Path file, BiConsumer<Integer, String> reader) {
        if (PendingFile.isSpecial(file)) {
            throw new UnavailableException(
                    "cannot write " + file
                            + ": it is no regular file, and what is written line by line must be read back after a stop; name a file");
        }
        try {
            Files.createDirectories(file.toAbsolutePath().resolveSibling("."));
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                return new LineFile(file, begun(file, channel, reader));
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    /** The channel, locked and after the last whole line, each of which the reader was given. */
    private static FileChannel begun(Path file, FileChannel channel, BiConsumer<Integer, String> reader)
            throws IOException {
        if (!LockFile.taken(channel)) {
            throw new UnavailableException(
                    file + ": another process is writing this file; wait for it, or name another");
        }
        long whole = read(channel, reader);
        if (whole < channel.size()) {
            LOG.warn(
                    "{}: its last line was cut off after {} bytes; dropped, to be made again",
                    file,
                    channel.size() - whole);
        }
        return channel.truncate(whole).position(whole);
    }

    /** Returns the number of bytes up to the end of the last whole line. */
    private static long read(FileChannel channel, BiConsumer<Integer, String> reader) throws IOException {
        long[] whole = {0};
        scan(channel, (number, end, text, ended) -> {
            if (ended) {
                whole[0] = end;
                reader.accept(number, text);
            }
        });
        return whole[0];
    }

    /** Takes one line of a file. */
    interface LineReader {
        /**
         * @param number of the line, from 1
         * @param end of the line in bytes from the file's begin, its line feed included
         * @param ended whether the line has a line feed; only the last line of a file may lack it
         */
        void read(int number, long end, String text, boolean ended);
    }

    /** Reads all lines of a file, the last one even if it is empty; memory holds one line. */
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

    /** Makes what was appended durable. */
    public void flush() {
        IoFailure.whileWriting(file, () -> channel.force(false));
    }

    @Override
    public void close() {
        flush();
        IoFailure.whileWriting(file, channel::close);
    }
}
