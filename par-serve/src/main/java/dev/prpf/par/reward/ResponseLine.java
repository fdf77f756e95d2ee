package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.io.FunctionCallJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A response to reward: {@code {"id", "response": text}} or {@code {"id", "calls": [[call…]…]}}. Several lines may answer one sample, for
 * instance rollouts.
 *
 * @param id of the sample it answers
 * @param response the model's text, or null if only calls are known
 * @param calls one list per recommendation, empty for silence; null if the response is known
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
     * @param goldSource source of the ids, for the message
     * @throws PrpfException 65, naming file and line, for an invalid line, an id without gold sample, or an empty file
     */
    public static List<ResponseLine> read(Path file, Set<String> gold, String goldSource) {
        List<ResponseLine> lines = new ArrayList<>();
        LINES.read(file, (place, line) -> lines.add(line.checked(place, gold, goldSource)));
        return lines;
    }

    /**
     * Reads one line of a file.
     *
     * @param place of the line, for the message
     * @throws PrpfException 65 under the conditions of {@link #read}
     */
    public static ResponseLine of(String place, String text, Set<String> gold, String goldSource) {
        return LINES.parse(place, text).checked(place, gold, goldSource);
    }

    private ResponseLine checked(String place, Set<String> gold, String goldSource) {
        if (!gold.contains(id)) {
            throw new InvalidDataException(place + ": id \"" + id + "\" is not in " + goldSource
                    + "; reward responses against the samples they answer");
        }
        return this;
    }
}
