package dev.prpf.eval.judge;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.RecordLines;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A judge's decision on a sample: a line of {@code verdicts.jsonl}, {@code {"id", "equivalent", "reason"}}. {@code reason} may be missing.
 *
 * @param equivalent whether the prediction is equivalent to some valid answer; null where the judge abstained
 * @param reason in words
 */
public record SampleVerdict(String id, @Nullable Boolean equivalent, String reason) {
    /** The file's name in a report's folder. */
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
     * Combines the verdicts on a sample's valid answers. The prediction is equivalent if it matches one of them. Otherwise an abstention on one
     * answer makes the result an abstention, since that answer might match.
     *
     * @param verdicts one for each answer that acts, at least one
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

    /** Returns the file's line, without the newline. */
    String line() {
        return LINES.line(new Line(id, equivalent, reason));
    }

    /**
     * Reads a whole file; verdicts by id, in the file's order.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming file and line, for a line that is not a verdict, a duplicate id, or an empty file
     */
    public static Map<String, SampleVerdict> read(Path file) {
        Map<String, SampleVerdict> byId = new LinkedHashMap<>();
        LINES.read(file, (place, line) -> {
            SampleVerdict verdict =
                    new SampleVerdict(line.id(), line.equivalent(), Objects.requireNonNullElse(line.reason(), ""));
            if (byId.put(line.id(), verdict) != null) {
                throw new InvalidDataException(
                        place + ": id " + line.id() + " is a duplicate; a sample has one verdict");
            }
        });
        return byId;
    }
}
