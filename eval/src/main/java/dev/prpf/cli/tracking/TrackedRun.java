package dev.prpf.cli.tracking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunOverview.State;
import dev.prpf.cli.tracking.Tracking.RunTracker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Uploads a run to one tracker. The thread that writes the run sets the flags; the sending thread does the rest. */
final class TrackedRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrackedRun.class);

    private final Path directory;
    private final RunTracker.Factory factory;
    /** True once the metrics can no longer be rewound. */
    volatile boolean readable;
    /** True from the run's end until the tracker has been notified. */
    volatile boolean closed;

    private MetricFile lines;
    private @Nullable RunTracker tracker;
    private int sent;

    TrackedRun(Path directory, RunTracker.Factory factory) {
        this.directory = directory;
        this.factory = factory;
        this.lines = new MetricFile(directory);
    }

    Path directory() {
        return directory;
    }

    /** Lines sent by this process. */
    int sent() {
        return sent;
    }

    /**
     * Sends the new lines.
     *
     * @param known state of the run; null to take that of its files
     * @return whether the run is closed and sent completely
     * @throws dev.prpf.base.error.PrpfException if the tracker fails; the next call sends the unsent lines again
     */
    boolean sync(@Nullable State known) {
        boolean ends = closed;
        if (ends) {
            closed = false; // before reading, so that the next call sees a later close
        }
        try {
            RunTracker to = opened();
            if (readable || ends) {
                for (List<MetricLine> next = lines.next(to.sent()); !next.isEmpty(); next = lines.next(to.sent())) {
                    to.send(next);
                    sent += next.size();
                }
            }
            if (ends) {
                to.finish(RunFacts.read(directory, known));
            }
            return ends;
        } catch (RuntimeException e) {
            closed |= ends;
            lines = new MetricFile(directory); // reads the unsent block again
            throw e;
        }
    }

    /** Returns the run at the tracker, which the first call opens. */
    RunTracker opened() {
        RunTracker open = tracker;
        if (open == null) {
            open = factory.open(directory);
            tracker = open;
            LOG.info("{} is sent to {}", directory, open.place());
        }
        return open;
    }

    @Override
    public void close() {
        if (tracker != null) {
            tracker.close();
            tracker = null;
        }
    }

    /** Reads {@code metrics.jsonl} while it grows, a block of whole lines at a time. */
    static final class MetricFile {
        private static final int BLOCK = 1 << 20;
        private static final ObjectMapper JSON = new ObjectMapper();

        private final Path file;
        private long offset;
        private int number;

        MetricFile(Path run) {
            file = run.resolve(RunDirectory.METRICS);
        }

        /**
         * Reads the next lines of one block, without the first {@code sent} lines of the file.
         *
         * @return an empty list if there are no new lines; a line without a line break is not read yet
         * @throws PrpfException 65 for a line that cannot be read
         */
        List<MetricLine> next(int sent) {
            List<MetricLine> found = new ArrayList<>();
            for (String block = block(); !block.isEmpty(); block = block()) {
                block.lines().filter(line -> ++number > sent).map(this::read).forEach(found::add);
                if (!found.isEmpty()) {
                    break;
                }
            }
            return found;
        }

        private MetricLine read(String line) {
            try {
                if (JSON.readTree(line) instanceof ObjectNode object
                        && object.path("step").isIntegralNumber()) {
                    return new MetricLine(object.remove("step").longValue(), MetricLine.numbers(object));
                }
            } catch (JsonProcessingException e) {
                throw new InvalidDataException(
                        file + ":" + number + ": cannot be read as JSON: " + e.getOriginalMessage(), e);
            }
            throw new InvalidDataException(file + ":" + number + ": a line must be an object with a \"step\": " + line);
        }

        private String block() {
            if (!Files.exists(file)) {
                return "";
            }
            try (InputStream in = Files.newInputStream(file)) {
                in.skipNBytes(offset);
                byte[] bytes = in.readNBytes(BLOCK);
                int whole = ArrayUtils.lastIndexOf(bytes, (byte) '\n') + 1;
                if (whole == 0 && bytes.length == BLOCK) {
                    throw new InvalidDataException(
                            file + ":" + (number + 1) + ": the line is longer than " + BLOCK + " bytes");
                }
                offset += whole;
                return new String(bytes, 0, whole, StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw IoFailure.reading(file, e);
            }
        }
    }
}
