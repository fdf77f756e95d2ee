package dev.prpf.base.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A run's state as read from its files by another process.
 *
 * @param directory the run's directory
 * @param state the run's state, {@link State#BROKEN} if its files are invalid
 * @param command as in {@code run.json}, null if that cannot be read
 * @param arguments of the command line that started it
 * @param step of its last line of metrics, or null
 * @param metrics of that line without the step
 * @param problem why it failed, or the defect of its files; null without a problem
 */
public record RunOverview(
        Path directory,
        State state,
        @Nullable String command,
        List<String> arguments,
        @Nullable Long step,
        @Nullable JsonNode metrics,
        @Nullable String problem) {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** A run has at least one of these files from its start. */
    private static final Set<String> TRACES =
            Set.of(RunDirectory.RUN, RunDirectory.LOCK, RunDirectory.CONFIG, RunDirectory.METRICS);

    private static final int TAIL = 1 << 16;

    public enum State {
        RUNNING,
        INTERRUPTED,
        DONE,
        FAILED,
        BROKEN
    }

    /** Returns every run in a folder and its subfolders, by path; unreadable folders are skipped. */
    public static List<RunOverview> below(Path folder) {
        List<RunOverview> found = new ArrayList<>();
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    if (RunDirectory.CHECKPOINTS.equals(String.valueOf(directory.getFileName()))) {
                        return FileVisitResult.SKIP_SUBTREE;
                    }
                    if (TRACES.stream().anyMatch(name -> Files.exists(directory.resolve(name)))) {
                        found.add(of(directory));
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(folder + ": cannot be searched", e);
        }
        found.sort(Comparator.comparing(RunOverview::directory));
        return found;
    }

    /** Returns the run in a directory; {@link State#BROKEN} without a run. */
    public static RunOverview of(Path directory) {
        boolean held = RunDirectory.inUse(directory);
        if (held && !Files.exists(directory.resolve(RunDirectory.RUN))) {
            return new RunOverview(directory, State.RUNNING, null, List.of(), null, null, null); // it is just starting
        }
        try {
            ObjectNode run = RunDirectory.read(directory);
            State state = state(run.path("state").asText(), held);
            List<String> arguments = StreamSupport.stream(run.path("arguments").spliterator(), false)
                    .map(JsonNode::asText)
                    .toList();
            ObjectNode last = last(directory.resolve(RunDirectory.METRICS));
            JsonNode step = last == null ? null : last.remove("step");
            String problem = state == State.BROKEN
                    ? RunDirectory.RUN + ": state = " + run.path("state") + ", must be running, stopped, failed or done"
                    : state == State.FAILED ? run.path("failure").asText() : null;
            return new RunOverview(
                    directory,
                    state,
                    run.path("command").asText(),
                    arguments,
                    step == null ? null : step.asLong(),
                    last,
                    problem);
        } catch (PrpfException | UncheckedIOException e) {
            String problem =
                    e instanceof UncheckedIOException io ? IoFailure.of(io).getMessage() : e.getMessage();
            return new RunOverview(directory, State.BROKEN, null, List.of(), null, null, problem);
        }
    }

    private static State state(String written, boolean held) {
        return switch (written) {
            case "running" -> held ? State.RUNNING : State.INTERRUPTED;
            case "stopped" -> State.INTERRUPTED;
            case "failed" -> State.FAILED;
            case "done" -> State.DONE;
            default -> State.BROKEN;
        };
    }

    /** Returns the last complete line that is a JSON object; a process may be writing the file. */
    private static @Nullable ObjectNode last(Path metrics) {
        if (!Files.isRegularFile(metrics)) {
            return null;
        }
        try (RandomAccessFile file = new RandomAccessFile(metrics.toFile(), "r")) {
            byte[] tail = new byte[(int) Math.min(TAIL, file.length())];
            file.seek(file.length() - tail.length);
            file.readFully(tail);
            List<String> lines =
                    new String(tail, StandardCharsets.UTF_8).lines().toList();
            for (int i = lines.size() - 1; i >= 0; i--) {
                ObjectNode object = object(lines.get(i));
                if (object != null) {
                    return object;
                }
            }
            return null;
        } catch (IOException e) {
            throw IoFailure.reading(metrics, e);
        }
    }

    private static @Nullable ObjectNode object(String line) {
        try {
            return JSON.readTree(line) instanceof ObjectNode object ? object : null;
        } catch (IOException torn) {
            return null;
        }
    }
}
