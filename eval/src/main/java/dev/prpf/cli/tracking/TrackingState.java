package dev.prpf.cli.tracking;

import dev.prpf.base.command.Tracker;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.json.JsonRecords;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What a run's folder keeps of one tracker, {@code tracking/NAME.json}, a record of type {@code T}; one process at a time has it. */
final class TrackingState<T extends Record> implements AutoCloseable {
    private static final String FOLDER = "tracking";

    private final Path file;
    private final Class<T> type;
    private final LockFile lock;

    /** @throws PrpfException 69 if another process has it, or the folder cannot be written */
    TrackingState(Path run, Tracker tracker, Class<T> type) {
        this.file = file(run, tracker);
        this.type = type;
        LockFile taken = LockFile.tryTake(file.resolveSibling(EnumName.of(tracker) + ".lock"));
        if (taken == null) {
            throw new UnavailableException(
                    run + ": another process is sending this run to " + EnumName.of(tracker) + "; wait for it");
        }
        this.lock = taken;
    }

    private static Path file(Path run, Tracker tracker) {
        return run.resolve(FOLDER).resolve(EnumName.of(tracker) + ".json");
    }

    /** What is kept, or null. */
    @Nullable
    T read() {
        return read(file, type);
    }

    /** What another run keeps, or null. */
    static <T extends Record> @Nullable T of(Path run, Tracker tracker, Class<T> type) {
        return read(file(run, tracker), type);
    }

    private static <T extends Record> @Nullable T read(Path file, Class<T> type) {
        return Files.isRegularFile(file)
                ? JsonRecords.read(
                        file.toString(),
                        "state of tracking",
                        IoFailure.whileReading("cannot read " + file, () -> Files.readString(file)),
                        type)
                : null;
    }

    void write(T state) {
        AtomicFiles.writeText(file, JsonRecords.write(state) + "\n");
    }

    Path file() {
        return file;
    }

    @Override
    public void close() {
        lock.close();
    }
}
