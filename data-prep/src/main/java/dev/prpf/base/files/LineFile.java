package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

    /** Takes a line that stands in the file already. */
    @FunctionalInterface
    public interface Reader {
        /** @param number from 1 */
        void line(int number, String line);
    }

    /**
     * Opens a file, which may exist; memory holds one of its lines.
     *
     * @param reader is given the lines that stand in it; where it throws, the file stays as it is
     * @throws PrpfException 69 if it cannot be written, or another writes it
     */
    public static LineFile open(Path file, Reader reader) {
        try {
            Files.createDirectories(file.toAbsolutePath().resolveSibling("."));
            long whole = 0;
            long size = 0;
            if (Files.exists(file)) {
                size = Files.size(file);
                whole = wholeLines(file);
                read(file, whole, reader);
            }
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!FileLocks.taken(channel) || channel.size() != size) {
                channel.close();
                throw new UnavailableException(
                        file + ": another process is writing this file; wait for it, or name another");
            }
            channel.truncate(whole);
            channel.position(whole);
            return new LineFile(file, channel);
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    /** Bytes up to the end of the last whole line. */
    private static long wholeLines(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            long whole = afterLastLineEnd(channel, size);
            if (whole < size) {
                LOG.warn("{}: its last line was cut off after {} bytes; dropped, to be made again", file, size - whole);
            }
            return whole;
        }
    }

    private static long afterLastLineEnd(FileChannel channel, long size) throws IOException {
        for (long end = size; end > 0; end = Math.max(0, end - BLOCK)) {
            long from = Math.max(0, end - BLOCK);
            ByteBuffer block = ByteBuffer.allocate((int) (end - from));
            while (block.hasRemaining() && channel.read(block, from + block.position()) >= 0) {
                // goes on where it was
            }
            for (int i = block.position() - 1; i >= 0; i--) {
                if (block.get(i) == '\n') {
                    return from + i + 1;
                }
            }
        }
        return 0;
    }

    private static void read(Path file, long whole, Reader reader) throws IOException {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new Beginning(Files.newInputStream(file), whole), StandardCharsets.UTF_8))) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                reader.line(++number, line);
            }
        }
    }

    /** The first bytes of a stream. */
    private static final class Beginning extends FilterInputStream {
        private long left;

        Beginning(InputStream in, long length) {
            super(in);
            left = length;
        }

        @Override
        public int read() throws IOException {
            return left-- > 0 ? super.read() : -1;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (left <= 0) {
                return -1;
            }
            int count = super.read(bytes, offset, (int) Math.min(length, left));
            left -= Math.max(0, count);
            return count;
        }
    }

    public Path file() {
        return file;
    }

    /** Appends a line; it is durable after {@link #flush()}. */
    public void append(String line) {
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    /** Makes what was appended durable. */
    public void flush() {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    @Override
    public void close() {
        flush();
        try {
            channel.close();
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }
}
