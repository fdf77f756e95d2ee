package dev.prpf.base.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.json.JsonRecords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.lang3.function.FailableConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The files of one run: {@code run.json config.resolved.yaml metrics.jsonl samples.jsonl checkpoints/}. One process at a time
 * writes them, from {@link #open} to {@link #close()}.
 */
public final class RunDirectory implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int KEPT_CHECKPOINTS = 2;
    public static final String RUN = "run.json";
    public static final String CONFIG = "config.resolved.yaml";
    public static final String METRICS = "metrics.jsonl";
    static final String CHECKPOINTS = "checkpoints";
    private static final String SAMPLES = "samples.jsonl";
    static final String LOCK = "run.lock";
    /** The last unfinished run that this process closed. */
    private static volatile @Nullable Path unfinished;

    private static volatile @Nullable RunListener listener;

    private final Path directory;
    private final ObjectNode run;
    private final LockFile lock;
    private final FailableConsumer<Path, IOException> sync;

    private RunDirectory(Path directory, ObjectNode run, LockFile lock, FailableConsumer<Path, IOException> sync) {
        this.directory = directory;
        this.run = run;
        this.lock = lock;
        this.sync = sync;
    }

    /**
     * Starts a run, or resumes the existing one.
     *
     * @throws PrpfException 78 if the existing run has another command, configuration or facts, naming each difference, or
     *     {@code resume} forbids it; 69 if another process writes it
     */
    public static RunDirectory open(Path directory, Resume resume, RunDescription description) {
        return open(directory, resume, description, AtomicFiles::sync);
    }

    /** @param sync makes a file durable */
    static RunDirectory open(
            Path directory, Resume resume, RunDescription description, FailableConsumer<Path, IOException> sync) {
        if (resume == Resume.REQUIRED && !Files.isDirectory(directory)) {
            throw nothingToResume(directory);
        }
        return Closing.ifRefused(lock(directory), lock -> {
            boolean exists = exists(directory, resume);
            RunDirectory run = new RunDirectory(directory, exists ? read(directory) : description.json(), lock, sync);
            if (exists) {
                run.resume(description);
            } else {
                run.start(description);
            }
            notifyListener(target -> target.opened(directory));
            return run;
        });
    }

    /** Checks that a run could start or resume here without changing anything; throws as {@link #open}, except 69. */
    public static void requireOpenable(Path directory, Resume resume, RunDescription description) {
        if (exists(directory, resume)) {
            requireSame(directory, read(directory), description);
        }
    }

    private static boolean exists(Path directory, Resume resume) {
        boolean exists = Files.isRegularFile(directory.resolve(RUN));
        if (resume == Resume.REQUIRED && !exists) {
            throw nothingToResume(directory);
        }
        if (resume == Resume.NEVER && exists) {
            throw new InvalidConfigurationException(
                    directory + ": holds a run already (--resume=never); name another --run-dir or remove it");
        }
        return exists;
    }

    private static InvalidConfigurationException nothingToResume(Path directory) {
        return new InvalidConfigurationException(
                directory + ": holds no run to resume (--resume=required); start it with --resume=auto");
    }

    /** Returns whether a process is writing a run into the directory. */
    public static boolean inUse(Path directory) {
        return LockFile.isHeld(directory.resolve(LOCK));
    }

    private static LockFile lock(Path directory) {
        LockFile lock = LockFile.tryTake(directory.resolve(LOCK));
        if (lock != null) {
            return lock;
        }
        throw new UnavailableException(
                directory + ": another process is writing this run; wait for it, or name another --run-dir");
    }

    private void start(RunDescription description) {
        run.put("state", "running").put("started", now());
        run.putObject("versions")
                .put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"))
                .put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"))
                .put("prpf", System.getProperty("prpf.version", "unknown"))
                .put("revision", System.getProperty("prpf.revision", "unknown"));
        AtomicFiles.writeText(directory.resolve(CONFIG), description.resolvedConfig());
        writeRun();
    }

    private static void requireSame(Path directory, JsonNode run, RunDescription description) {
        if (!readText(directory.resolve(CONFIG)).equals(description.resolvedConfig())) {
            throw new InvalidConfigurationException(directory
                    + ": holds a run with another configuration (" + CONFIG
                    + " differs); name another --run-dir, or give the same configuration to resume it");
        }
        JsonNode now = parse(directory.resolve(RUN), description.json().toString()); // as read from a file
        RunDescription.requireSame(run, now, directory);
    }

    private void resume(RunDescription description) {
        requireSame(directory, run, description);
        if (!finished()) {
            run.put("state", "running").put("resumed", now()).remove(List.of("stopped", "failure"));
            writeRun();
        }
    }

    public Path path() {
        return directory;
    }

    /** Appends one line to {@code metrics.jsonl}: a step's metrics, as a record or a map. */
    public void metric(long step, Object values) {
        append(METRICS, step, values);
        notifyListener(target -> target.appended(directory));
    }

    /** Appends one line to {@code samples.jsonl}: a completion generated during training. */
    public void sample(long step, Object values) {
        append(SAMPLES, step, values);
    }

    private void append(String name, long step, Object values) {
        ObjectNode line = JSON.createObjectNode();
        line.put("step", step);
        line.setAll((ObjectNode) JsonRecords.tree(values));
        Path file = directory.resolve(name);
        IoFailure.whileWriting(
                file, () -> Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /** Removes lines of steps after {@code step} and an incomplete last line from metrics and samples, before resuming. */
    public void rewind(long step) {
        rewind(directory.resolve(METRICS), step);
        rewind(directory.resolve(SAMPLES), step);
    }

    private static void rewind(Path file, long step) {
        if (!Files.exists(file)) {
            return;
        }
        Stream<String> kept = readText(file).lines().filter(line -> isAtOrBefore(line, step));
        AtomicFiles.writeText(file, kept.map(line -> line + "\n").collect(Collectors.joining()));
    }

    private static boolean isAtOrBefore(String line, long step) {
        try {
            JsonNode parsed = JSON.readTree(line);
            return parsed != null && parsed.path("step").asLong(Long.MAX_VALUE) <= step;
        } catch (IOException torn) {
            return false;
        }
    }

    /** Returns the lines of {@code metrics.jsonl}, oldest first. */
    public static List<JsonNode> metrics(Path runDirectory) {
        Path file = runDirectory.resolve(METRICS);
        if (!Files.exists(file)) {
            return List.of();
        }
        return readText(file).lines().map(line -> parse(file, line)).toList();
    }

    /** Returns the result of a finished run, or a missing node. */
    public static JsonNode result(Path runDirectory) {
        Path file = runDirectory.resolve(RUN);
        return Files.isRegularFile(file) ? read(runDirectory).path("result") : MissingNode.getInstance();
    }

    /**
     * Reads the description of a run from its files.
     *
     * @throws PrpfException 65 if there is no run, or its files cannot be read
     */
    public static RunDescription description(Path runDirectory) {
        if (!Files.isRegularFile(runDirectory.resolve(RUN))) {
            throw new InvalidDataException(runDirectory + ": holds no " + RUN + ", which describes a run");
        }
        return RunDescription.of(read(runDirectory), readText(runDirectory.resolve(CONFIG)));
    }

    /** Returns this run's checkpoints; metrics and samples are synced before each manifest. */
    public CheckpointStore checkpoints() {
        return new CheckpointStore(directory.resolve(CHECKPOINTS), KEPT_CHECKPOINTS, this::syncLines);
    }

    private void syncLines() {
        for (String name : List.of(METRICS, SAMPLES)) {
            Path file = directory.resolve(name);
            if (Files.exists(file)) {
                IoFailure.whileWriting(file, () -> sync.accept(file));
            }
        }
    }

    /** Returns whether the run is done. */
    public boolean finished() {
        return run.path("state").asText().equals("done");
    }

    /** Marks the run as done and stores its result, a record or a map. */
    public void finish(Object result) {
        run.put("state", "done").put("finished", now()).set("result", JsonRecords.tree(result));
        run.remove("stopped");
        writeRun();
    }

    /** Releases the run; an unfinished run is marked as stopped. */
    @Override
    public void close() {
        try {
            if (!finished()) {
                run.put("state", "stopped").put("stopped", now());
                writeRun();
                unfinished = directory;
            }
        } finally {
            lock.close();
            notifyListener(target -> target.closed(directory));
        }
    }

    /** Sets the listener for all runs that this process writes; null removes it. */
    public static void setListener(@Nullable RunListener next) {
        listener = next;
    }

    /** Notifies the listener of new files in a run's directory, such as its report. */
    public static void reported(Path runDirectory) {
        notifyListener(target -> target.closed(runDirectory));
    }

    private static void notifyListener(Consumer<RunListener> what) {
        RunListener target = listener;
        if (target != null) {
            what.accept(target);
        }
    }

    /** Marks this process's last unfinished run, if any, as failed and stores the reason. */
    public static void failed(String why) {
        Path directory = unfinished;
        unfinished = null;
        if (directory == null || !Files.isRegularFile(directory.resolve(RUN))) {
            return;
        }
        LockFile lock = lock(directory);
        try {
            ObjectNode run = read(directory);
            if (run.path("state").asText().equals("stopped")) {
                write(directory, run.put("state", "failed").put("failure", why));
            }
        } finally {
            lock.close();
            notifyListener(target -> target.closed(directory));
        }
    }

    private void writeRun() {
        syncLines();
        write(directory, run);
    }

    private static void write(Path directory, ObjectNode run) {
        AtomicFiles.writeText(directory.resolve(RUN), run.toPrettyString());
    }

    static ObjectNode read(Path directory) {
        Path file = directory.resolve(RUN);
        if (parse(file, readText(file)) instanceof ObjectNode run) {
            return run;
        }
        throw new InvalidDataException(file + ": is not a JSON object, must be the description of a run; restore"
                + " the file, or name another --run-dir");
    }

    private static JsonNode parse(Path file, String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(file + ": is not JSON: " + JsonFile.fault(e));
        }
    }

    private static String readText(Path file) {
        return IoFailure.whileReading("cannot read " + file, () -> Files.readString(file, StandardCharsets.UTF_8));
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /**
     * Listens to every run that this process writes ({@link RunDirectory#setListener}). Called on the thread that writes it; methods must
     * return at once and not throw.
     */
    public interface RunListener {
        /** Called when a run starts or resumes; its metrics may still be rewound. */
        void opened(Path run);

        /** Called after a line was appended to {@link RunDirectory#METRICS}; nothing is rewound after the first line. */
        void appended(Path run);

        /** Called when a run was closed ({@link RunDirectory#RUN} has its state) or has new files; may be called repeatedly. */
        void closed(Path run);
    }

    /** Policy for an unfinished run in the run directory. */
    public enum Resume {
        /** Resumes a run, or starts a new one. */
        AUTO,
        /** Resumes a run; a missing run is an error. */
        REQUIRED,
        /** Starts a new run; an existing run is an error. */
        NEVER
    }
}
