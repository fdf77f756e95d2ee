package dev.prpf.cli.tracking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.RunDirectory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Reads {@code metrics.jsonl} while it grows, a block of whole lines at a time. */
final class MetricFile {
    private static final int BLOCK = 1 << 16;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;
    private long offset;
    private Sent place = Sent.NONE;

    MetricFile(Path run) {
        file = run.resolve(RunDirectory.METRICS);
    }

    /**
     * The next lines behind a place, those of one block at most.
     *
     * @return an empty list where there are none yet; a line without its end is none
     * @throws PrpfException 65 for a line that cannot be read
     */
    List<MetricLine> next(Sent sent) {
        for (String block = block(); !block.isEmpty(); block = block()) {
            List<MetricLine> found = block.lines()
                    .filter(line -> !line.isBlank())
                    .map(this::read)
                    .filter(line -> sent.isBefore(line.place()))
                    .toList();
            if (!found.isEmpty()) {
                return found;
            }
        }
        return List.of();
    }

    private MetricLine read(String line) {
        try {
            JsonNode parsed = JSON.readTree(line);
            if (parsed instanceof ObjectNode object && parsed.path("step").isIntegralNumber()) {
                place = place.next(object.remove("step").longValue());
                return new MetricLine(place, MetricLine.numbers(object));
            }
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(file + ": is not JSON: " + e.getOriginalMessage(), e);
        }
        throw new InvalidDataException(file + ": a line is no object with a \"step\": " + line);
    }

    /** Whole lines from where the last block ended; longer than a block where one line is. */
    private String block() {
        if (!Files.exists(file)) {
            return "";
        }
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
            long rest = open.length() - offset;
            for (long size = Math.min(BLOCK, rest); size > 0; size = Math.min(2 * size, rest)) {
                byte[] bytes = new byte[Math.toIntExact(size)];
                open.seek(offset);
                open.readFully(bytes);
                int whole = wholeLines(bytes);
                if (whole > 0 || size == rest) {
                    offset += whole;
                    return new String(Arrays.copyOf(bytes, whole), StandardCharsets.UTF_8);
                }
            }
            return "";
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    private static int wholeLines(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        return end;
    }
}
