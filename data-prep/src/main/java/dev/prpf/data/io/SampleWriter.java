package dev.prpf.data.io;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.PendingFile;
import dev.prpf.data.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;

/**
 * Writes samples as a ProactiveMobile file: a JSON array, one record a line. The file is written beside its place; {@link #close()}
 * forces it to the disk and moves it there, so no reader ever sees half a file. After a failure call {@link #discard()}, or use
 * {@link #write(Path, Iterator)}, which does.
 */
public final class SampleWriter implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper(JsonTree.FACTORY);

    private final Path file;
    private final PendingFile pending;
    private final OutputStream out;
    private long count;
    private boolean failed;
    private boolean closed;

    private SampleWriter(Path file) throws IOException {
        this.file = file.toAbsolutePath();
        pending = PendingFile.create(file);
        out = pending.stream();
    }

    /**
     * Begins a file, making its directory where it is missing.
     *
     * @throws PrpfException 69 if nothing can be written there
     */
    public static SampleWriter create(Path file) {
        try {
            return new SampleWriter(file);
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    /** Writes all of them, or leaves no file. */
    public static void write(Path file, Iterator<Sample> samples) {
        SampleWriter writer = create(file);
        try {
            while (samples.hasNext()) {
                writer.write(samples.next());
            }
            writer.close();
        } catch (RuntimeException | Error e) {
            writer.discard();
            throw e;
        }
    }

    /** Appends one record. */
    public void write(Sample sample) {
        try {
            String record = JSON.writeValueAsString(RecordJson.write(sample));
            if (!StandardCharsets.UTF_8.newEncoder().canEncode(record)) {
                failed = true;
                throw new InvalidDataException("sample " + sample.id()
                        + " cannot be written: a text holds half a surrogate pair, which is no Unicode");
            }
            out.write((count == 0 ? "[\n" : ",\n").getBytes(StandardCharsets.UTF_8));
            out.write(record.getBytes(StandardCharsets.UTF_8));
            count++;
        } catch (IOException e) {
            failed = true;
            throw IoFailure.writing(file, e);
        }
    }

    /** How many records were written. */
    public long count() {
        return count;
    }

    /** Ends the array and moves the file into place; after a failed write, removes what was written instead. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (failed) {
            discard();
            return;
        }
        closed = true;
        try {
            out.write((count == 0 ? "[]\n" : "\n]\n").getBytes(StandardCharsets.UTF_8));
            pending.commit();
            pending.close();
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    /** Removes what was written; the file at the place stays as it was. */
    public void discard() {
        closed = true;
        try {
            pending.close();
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }
}
