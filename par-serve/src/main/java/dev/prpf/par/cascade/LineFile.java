package dev.prpf.par.cascade;

import dev.prpf.data.run.IoFailure;
import dev.prpf.data.run.PrpfException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file that grows by lines and outlives its process: a last line that was cut off is dropped when it is opened again. */
final class LineFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LineFile.class);

    private final Path file;
    private final FileChannel channel;

    private LineFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Opens a file, which may exist.
     *
     * @param reader is given the lines that stand in it; where it throws, the file stays as it is
     * @throws PrpfException 69 if it cannot be written
     */
    static LineFile open(Path file, Consumer<List<String>> reader) {
        try {
            Files.createDirectories(file.toAbsolutePath().resolveSibling("."));
            byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
            int whole = wholeLines(bytes);
            if (whole < bytes.length) {
                LOG.warn(
                        "{}: its last line was cut off after {} bytes; dropped, to be made again",
                        file,
                        bytes.length - whole);
            }
            reader.accept(
                    new String(bytes, 0, whole, StandardCharsets.UTF_8).lines().toList());
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            channel.truncate(whole);
            channel.position(whole);
            return new LineFile(file, channel);
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    private static int wholeLines(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    Path file() {
        return file;
    }

    void append(String line) {
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
    void flush() {
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
