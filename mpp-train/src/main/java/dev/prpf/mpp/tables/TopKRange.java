package dev.prpf.mpp.tables;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The lengths of shortlists that Table 8 has a column for: at least one, each at least 1. */
public record TopKRange(List<Integer> lengths) {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})\\.\\.(\\d{1,4})");
    private static final Pattern LIST = Pattern.compile("\\d{1,4}(,\\d{1,4})*");
    private static final int PAPER_MAX = 10;

    public TopKRange {
        lengths = List.copyOf(lengths);
    }

    /** The paper's 1 to 10, as far as there are scenarios. */
    public static TopKRange paper(int scenarios) {
        return new TopKRange(
                IntStream.rangeClosed(1, Math.min(PAPER_MAX, scenarios)).boxed().toList());
    }

    /** @throws PrpfException 2 if the text is none of "1..10", "5" or "1,3,5" */
    public static TopKRange parse(String text) {
        Matcher range = RANGE.matcher(text);
        List<Integer> lengths = range.matches()
                ? IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
                        .boxed()
                        .toList()
                : LIST.matcher(text).matches()
                        ? Stream.of(text.split(",", -1)).map(Integer::valueOf).toList()
                        : List.of();
        if (lengths.isEmpty() || lengths.contains(0)) {
            throw new UsageException(
                    "--top-k = " + text + ", must be a range as 1..10 or a list as 1,3,5 of numbers of at least 1");
        }
        return new TopKRange(lengths);
    }

    /** @throws PrpfException 2 if a length is beyond the catalogue */
    void requireWithin(int scenarios) {
        for (int k : lengths) {
            if (k > scenarios) {
                throw new UsageException("--top-k = " + k + ", the catalogue has " + scenarios
                        + " scenarios: a shortlist has at most as many");
            }
        }
    }
}
