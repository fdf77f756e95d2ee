package dev.prpf.eval.judge;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.RecordLines;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a judge decided on a sample: a line of {@code verdicts.jsonl}, {@code {"id", "equivalent", "reason"}}. {@code reason} may be missing.
 *
 * @param id of the sample
 * @param equivalent whether the prediction is equivalent to some valid answer; null where the judge abstained
 * @param reason in words
 */
public record SampleVerdict(String id, @Nullable Boolean equivalent, String reason) {
    /** The file's name beside a report. */
    public static final String FILE = "verdicts.jsonl";

    private static final RecordLines<Line> LINES = new RecordLines<>(Line.class, "verdict", "reason");

    private record Line(String id, @Nullable Boolean equivalent, @Nullable String reason) {
        Line {
            if (id.isBlank()) {
                throw new IllegalArgumentException("\"id\" must be a string that is not blank");
            }
        }
    }

    /**
     * The verdict on a sample with several valid answers: equivalent if it is to one of them; else an abstention if the judge abstained on
     * one, since that one might be the match; else not.
     *
     * @param verdicts one an answer that acts, at least one
     */
    public static SampleVerdict of(String id, List<Judge.Verdict> verdicts) {
        Boolean equivalent = Boolean.FALSE;
        if (verdicts.stream().anyMatch(verdict -> Objects.equals(verdict.equivalent(), true))) {
            equivalent = Boolean.TRUE;
        } else if (verdicts.stream().anyMatch(Judge.Verdict::abstained)) {
            equivalent = null;
        }
        Boolean decided = equivalent;
        String reason = verdicts.stream()
                .filter(verdict -> Objects.equals(verdict.equivalent(), decided))
                .map(Judge.Verdict::reason)
                .distinct()
                .limit(decided != null && decided ? 1 : verdicts.size())
                .collect(Collectors.joining("; "));
        return new SampleVerdict(id, equivalent, reason);
    }

    public boolean abstained() {
        return equivalent == null;
    }

    /** The file's line, without its end. */
    String line() {
        return LINES.line(new Line(id, equivalent, reason));
    }

    /**
     * Reads a whole file, by id, in its order.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming file and line, for a line that is no verdict, an id that stands twice, or a file
     *     without lines
     */
    public static Map<String, SampleVerdict> read(Path file) {
        Map<String, SampleVerdict> byId = new LinkedHashMap<>();
        LINES.read(file, (place, line) -> {
            SampleVerdict verdict =
                    new SampleVerdict(line.id(), line.equivalent(), Objects.requireNonNullElse(line.reason(), ""));
            if (byId.put(line.id(), verdict) != null) {
                throw new InvalidDataException(
                        place + ": id " + line.id() + " stands in a line above already; a sample has one verdict");
            }
        });
        return byId;
    }
}
