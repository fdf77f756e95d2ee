package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
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
public record ResponseLine(
        String id,
        @Nullable String response,
        @JsonDeserialize(using = FunctionCallJson.CallSequences.class) @Nullable List<List<FunctionCall>> calls) {
    private static final RecordLines<ResponseLine> LINES =
            new RecordLines<>(ResponseLine.class, "response", "response", "calls");

    public ResponseLine {
        if ((response == null) == (calls == null)) {
            throw new IllegalArgumentException("a line has one of \"response\" and \"calls\"");
        }
    }

    /**
     * Reads a file of JSON Lines; blank lines are skipped.
     *
     * @param gold ids that may be answered
     * @param goldSource where they came from, for the message
     * @throws PrpfException 65, naming file and line, for a line that is no response, an id that gold lacks, or a file without lines
     */
    public static List<ResponseLine> read(Path file, Set<String> gold, String goldSource) {
        List<ResponseLine> lines = new ArrayList<>();
        LINES.read(file, (place, line) -> lines.add(line.checked(place, gold, goldSource)));
        return lines;
    }

    /**
     * Reads one line.
     *
     * @param place of the line, for the message
     * @throws PrpfException 65 as for a file
     */
    public static ResponseLine of(String place, String text, Set<String> gold, String goldSource) {
        return LINES.parse(place, text).checked(place, gold, goldSource);
    }

    private ResponseLine checked(String place, Set<String> gold, String goldSource) {
        if (!gold.contains(id)) {
            throw new InvalidDataException(place + ": id \"" + id + "\" is no sample's in " + goldSource
                    + "; reward responses against the samples they answer");
        }
        return this;
    }
}
