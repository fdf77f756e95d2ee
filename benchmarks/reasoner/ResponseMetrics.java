package dev.prpf.par.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.par.bench.BenchMetrics.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Greedy responses to the same prompts, written in one way.
 *
 * @param way how they were written
 * @param sequences that were written
 * @param tokens of all responses
 * @param passesPerToken forward passes that wrote tokens, of each sequence by itself, over its tokens; those that only read a prompt do not count
 * @param seconds of all responses, reading their prompts among it
 * @param ofPlain these seconds over those of the first row with the same dtype, batch and constraint, which takes neither shortcut
 * @param notPlain sequences with other tokens than in that row
 * @param notAlone sequences with other tokens than in the first row with the same dtype and constraint, of the first batch
 */
public record ResponseMetrics(
        @JsonUnwrapped Way way,
        int sequences,
        long tokens,
        @JsonProperty("passes_per_token") double passesPerToken,
        Spread seconds,
        @JsonProperty("of_plain") Spread ofPlain,
        @JsonProperty("not_plain") int notPlain,
        @JsonProperty("not_alone") int notAlone) {
    /**
     * How responses are written.
     *
     * @param dtype number format
     * @param batch sequences that run at a time
     * @param constrained whether they are kept to the grammar and the functions of their prompts
     * @param jumpForward whether tokens that the grammar leaves no choice about go through in one pass
     * @param promptLookup tokens of a guess at most; 0 for none
     */
    public record Way(
            String dtype,
            int batch,
            boolean constrained,
            @JsonProperty("jump_forward") boolean jumpForward,
            @JsonProperty("prompt_lookup") int promptLookup) {}

    static List<String> lines(List<ResponseMetrics> rows) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(String.format(
                "%-6s%7s%13s%6s%8s%14s%24s%24s%11s%11s",
                "dtype",
                "batch",
                "constrained",
                "jump",
                "lookup",
                "passes/token",
                "seconds",
                "of plain",
                "not plain",
                "not alone"));
        rows.forEach(row -> lines.add(row.line()));
        return lines;
    }

    private String line() {
        return String.format(
                Locale.ROOT,
                "%-6s%7d%13b%6b%8d%14.3f%24s%24s%11d%11d",
                way.dtype,
                way.batch,
                way.constrained,
                way.jumpForward,
                way.promptLookup,
                passesPerToken,
                seconds.text(2),
                ofPlain.text(3),
                notPlain,
                notAlone);
    }
}
