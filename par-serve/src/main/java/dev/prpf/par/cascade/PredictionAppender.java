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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends predictions to a file and knows what stands in it, so that an interrupted run goes on where it was: a last line that was cut off
 * is dropped, what was written is on the disk after {@link #flush()} and {@link #close()}.
 */
public final class PredictionAppender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PredictionAppender.class);

    private final Path file;
    private final FileChannel channel;
    private final Set<String> ids;

    private PredictionAppender(Path file, FileChannel channel, Set<String> ids) {
        this.file = file;
        this.channel = channel;
        this.ids = ids;
    }

    /**
     * Opens a file, which may exist.
     *
     * @throws PrpfException 65 if a line that is whole is no prediction, 69 if the file cannot be written
     */
    public static PredictionAppender open(Path file) {
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
            List<String> lines =
                    new String(bytes, 0, whole, StandardCharsets.UTF_8).lines().toList();
            Set<String> ids = new LinkedHashSet<>();
            PredictionLines.parse(file, lines).forEach(prediction -> ids.add(prediction.id()));
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            channel.truncate(whole);
            channel.position(whole);
            return new PredictionAppender(file, channel, ids);
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

    /** Whether the sample of that id has its prediction. */
    public boolean has(String id) {
        return ids.contains(id);
    }

    /** How many predictions stand in the file. */
    public int size() {
        return ids.size();
    }

    /**
     * Appends one prediction.
     *
     * @throws IllegalArgumentException if its sample has one already
     */
    public void append(Prediction prediction) {
        if (!ids.add(prediction.id())) {
            throw new IllegalArgumentException(file + ": sample " + prediction.id() + " has a prediction already");
        }
        write(ByteBuffer.wrap((PredictionLines.line(prediction) + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    private void write(ByteBuffer bytes) {
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
