package dev.prpf.cli.tracking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.RunDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.lang3.ArrayUtils;

/** Reads {@code metrics.jsonl} while it grows, a block of whole lines at a time. */
final class MetricFile {
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
