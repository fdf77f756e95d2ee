package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.io.FunctionCallJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One response to reward: {@code {"id", "response": text}} or {@code {"id", "calls": [[call…]…]}}. Several lines may answer one sample, as
 * rollouts do.
 *
 * @param id of the sample it answers
 * @param response as the model wrote it, or null where only calls are known
 * @param calls one list a recommendation, none is silence; null where the response is known
 */
public record ResponseLine(String id, @Nullable String response, @Nullable List<List<FunctionCall>> calls) {
    private static final RecordLines<Line> LINES = new RecordLines<>(Line.class, "response", "response", "calls");

    /** A line as it stands; its calls are read by {@link FunctionCallJson}. */
    private record Line(String id, @Nullable String response, JsonNode calls) {}

    /**
     * Reads a file of JSON Lines; blank lines are skipped.
     *
     * @param gold ids that may be answered
     * @param goldSource where they came from, for the message
     * @throws PrpfException 65, naming file and line, for a line that is no response, an id that gold lacks, or a file without lines
     */
    public static List<ResponseLine> read(Path file, Set<String> gold, String goldSource) {
        List<ResponseLine> lines = new ArrayList<>();
        LINES.read(file, (place, line) -> lines.add(of(place, line, gold, goldSource)));
        return lines;
    }

    /**
     * Reads one line.
     *
     * @param place of the line, for the message
     * @throws PrpfException 65 as for a file
     */
    public static ResponseLine of(String place, String text, Set<String> gold, String goldSource) {
        return of(place, LINES.parse(place, text), gold, goldSource);
    }

    private static ResponseLine of(String place, Line line, Set<String> gold, String goldSource) {
        if (!gold.contains(line.id())) {
            throw new InvalidDataException(place + ": id \"" + line.id() + "\" is no sample's in " + goldSource
                    + "; reward responses against the samples they answer");
        }
        JsonNode calls = line.calls();
        if ((line.response() == null) == calls.isNull()) {
            throw new InvalidDataException(place + ": is no response: a line has one of \"response\" and \"calls\"");
        }
        try {
            return new ResponseLine(
                    line.id(), line.response(), calls.isNull() ? null : FunctionCallJson.readSequences(calls));
        } catch (PrpfException e) {
            throw new InvalidDataException(place + ": is no response: " + e.getMessage());
        }
    }
}
