package dev.prpf.base.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.json.JsonRecords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One run's files: {@code run.json config.resolved.yaml metrics.jsonl samples.jsonl checkpoints/}. One process at a time writes them, from
 * {@link #open} to {@link #close()}.
 */
public final class RunDirectory implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int KEPT_CHECKPOINTS = 2;
    private static final String RUN = "run.json";
    private static final String CONFIG = "config.resolved.yaml";
    private static final String METRICS = "metrics.jsonl";
    private static final String SAMPLES = "samples.jsonl";

    private final Path directory;
    private final ObjectNode run;
    private final RunLock lock;

    private RunDirectory(Path directory, ObjectNode run, RunLock lock) {
        this.directory = directory;
        this.run = run;
        this.lock = lock;
    }

    /**
     * Begins a run, or goes on with the one that stands there.
     *
     * @throws PrpfException 78 if a run of another command, configuration or facts stands there, naming each difference, or
     *     {@code resume} forbids what was found; 69 if another process writes it
     */
    public static RunDirectory open(Path directory, Resume resume, RunDescription description) {
        boolean exists = Files.isRegularFile(directory.resolve(RUN));
        if (resume == Resume.REQUIRED && !exists) {
            throw new InvalidConfigurationException(
                    directory + ": holds no run to resume (--resume=required); start it with --resume=auto");
        }
        if (resume == Resume.NEVER && exists) {
            throw new InvalidConfigurationException(
                    directory + ": holds a run already (--resume=never); name another --run-dir or remove it");
        }
        RunLock lock = RunLock.take(directory);
        try {
            return exists ? goOn(directory, description, lock) : begin(directory, description, lock);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static RunDirectory begin(Path directory, RunDescription description, RunLock lock) {
        ObjectNode run = described(description);
        run.put("state", "running");
        run.put("started", now());
        run.set("versions", JSON.valueToTree(versions()));
        RunDirectory opened = new RunDirectory(directory, run, lock);
        AtomicFiles.writeText(directory.resolve(CONFIG), description.resolvedConfig());
        opened.writeRun();
        return opened;
    }

    private static RunDirectory goOn(Path directory, RunDescription description, RunLock lock) {
        ObjectNode run = (ObjectNode) read(directory.resolve(RUN));
        String before = readText(directory.resolve(CONFIG));
        if (!before.equals(description.resolvedConfig())) {
            throw new InvalidConfigurationException(directory
                    + ": holds a run with another configuration (" + CONFIG
                    + " differs); name another --run-dir, or give the same configuration to resume it");
        }
        JsonNode now = parse(directory.resolve(RUN), described(description).toString()); // as it reads back
        RunIdentity.of(run).requireSame(RunIdentity.of(now), directory);
        RunDirectory opened = new RunDirectory(directory, run, lock);
        if (!opened.finished()) {
            run.put("state", "running");
            run.remove("stopped");
            run.put("resumed", now());
            opened.writeRun();
        }
        return opened;
    }

    private static ObjectNode described(RunDescription description) {
        ObjectNode run = JSON.createObjectNode();
        run.put("command", description.command());
        run.set("arguments", JSON.valueToTree(description.arguments()));
        description.facts().forEach((key, value) -> run.set(key, JSON.valueToTree(value)));
        return run;
    }

    private static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
        versions.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        versions.put("prpf", System.getProperty("prpf.version", "unknown"));
        versions.put("revision", System.getProperty("prpf.revision", "unknown"));
        return versions;
    }

    public Path path() {
        return directory;
    }

    /** Appends one line to {@code metrics.jsonl}: the components of a record, or the entries of a map. */
    public void metric(long step, Object values) {
        append(METRICS, step, values);
    }

    /** Appends one line to {@code samples.jsonl}: what a model wrote while it was trained. */
    public void sample(long step, Map<String, ?> values) {
        append(SAMPLES, step, values);
    }

    private void append(String name, long step, Object values) {
        ObjectNode line = JSON.createObjectNode();
        line.put("step", step);
        tree(values).fields().forEachRemaining(entry -> line.set(entry.getKey(), entry.getValue()));
        try {
            Files.writeString(
                    directory.resolve(name),
                    JSON.writeValueAsString(line) + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw IoFailure.writing(directory.resolve(name), e);
        }
    }

    /** On resuming at {@code step}: drops the lines of later steps and a torn last line, of metrics and of samples. */
    public void rewind(long step) {
        rewind(directory.resolve(METRICS), step);
        rewind(directory.resolve(SAMPLES), step);
    }

    private static void rewind(Path file, long step) {
        if (!Files.exists(file)) {
            return;
        }
        StringBuilder kept = new StringBuilder();
        for (String line : readText(file).lines().toList()) {
            if (standsAtOrBefore(line, step)) {
                kept.append(line).append('\n');
            }
        }
        AtomicFiles.writeText(file, kept.toString());
    }

    private static boolean standsAtOrBefore(String line, long step) {
        try {
            JsonNode parsed = JSON.readTree(line);
            return parsed != null && parsed.path("step").asLong(Long.MAX_VALUE) <= step;
        } catch (IOException torn) {
            return false;
        }
    }

    /** The lines of {@code metrics.jsonl}, oldest first. */
    public static List<JsonNode> metrics(Path runDirectory) {
        Path file = runDirectory.resolve(METRICS);
        if (!Files.exists(file)) {
            return List.of();
        }
        return readText(file).lines().map(line -> parse(file, line)).toList();
    }

    /** The result that a run kept when it came to its end; a missing node where it has none. */
    public static JsonNode result(Path runDirectory) {
        Path file = runDirectory.resolve(RUN);
        return Files.isRegularFile(file) ? read(file).path("result") : MissingNode.getInstance();
    }

    /** This run's checkpoints. */
    public CheckpointStore checkpoints() {
        return checkpoints(directory);
    }

    /** The checkpoints of a run directory. */
    public static CheckpointStore checkpoints(Path runDirectory) {
        return new CheckpointStore(runDirectory.resolve("checkpoints"), KEPT_CHECKPOINTS);
    }

    /** Whether the run came to its end. */
    public boolean finished() {
        return run.path("state").asText().equals("done");
    }

    private static JsonNode tree(Object values) {
        return values instanceof Record ? JsonRecords.tree(values) : JSON.valueToTree(values);
    }

    /** Marks the run as done and keeps its result, a record or a map. */
    public void finish(Object result) {
        run.put("state", "done");
        run.remove("stopped");
        run.put("finished", now());
        run.set("result", tree(result));
        writeRun();
    }

    /** Lets others write the run; one that did not come to its end is marked as stopped. */
    @Override
    public void close() {
        try (lock) {
            if (!finished()) {
                run.put("state", "stopped");
                run.put("stopped", now());
                writeRun();
            }
        }
    }

    private void writeRun() {
        AtomicFiles.write(
                directory.resolve(RUN),
                out -> out.write(JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(run)));
    }

    private static JsonNode read(Path file) {
        return parse(file, readText(file));
    }

    private static JsonNode parse(Path file, String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": is not JSON: " + e.getMessage());
        }
    }

    private static String readText(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
