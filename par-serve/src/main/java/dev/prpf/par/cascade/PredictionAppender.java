package dev.prpf.par.cascade;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.LineFile;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Appends predictions to a file and knows what stands in it, so that an interrupted run goes on where it was: a last line that was cut off
 * is dropped, what was written is on the disk after {@link #flush()} and {@link #close()}.
 */
public final class PredictionAppender implements AutoCloseable {
    private final Set<String> ids = new HashSet<>();
    private final LineFile lines;

    private PredictionAppender(Path file) {
        lines = LineFile.open(file, (number, line) -> {
            String place = file + ":" + number;
            String id = line.isBlank() ? "" : PredictionLines.parse(place, line).id();
            if (!id.isEmpty() && !ids.add(id)) {
                throw new InvalidDataException(
                        place + ": id " + id + " stands there already; a sample has one prediction");
            }
        });
    }

    /**
     * Opens a file, which may exist.
     *
     * @throws PrpfException 65 if a line that is whole is no prediction, 69 if the file cannot be written
     */
    public static PredictionAppender open(Path file) {
        return new PredictionAppender(file);
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
            throw new IllegalArgumentException(
                    lines.file() + ": sample " + prediction.id() + " has a prediction already");
        }
        lines.append(PredictionLines.line(prediction));
    }

    /** Makes what was appended durable. */
    public void flush() {
        lines.flush();
    }

    @Override
    public void close() {
        lines.close();
    }
}
