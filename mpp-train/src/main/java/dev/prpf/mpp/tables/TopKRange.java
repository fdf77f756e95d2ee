package dev.prpf.mpp.tables;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The lengths of shortlists that Table 8 has a column for.
 *
 * @param lengths at least one, each at least 1
 */
public record TopKRange(List<Integer> lengths) {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})\\.\\.(\\d{1,4})");
    private static final int PAPERS = 10;

    public TopKRange {
        lengths = List.copyOf(lengths);
    }

    /** The paper's 1 to 10, as far as there are scenarios. */
    public static TopKRange paper(int scenarios) {
        return new TopKRange(
                IntStream.rangeClosed(1, Math.min(PAPERS, scenarios)).boxed().toList());
    }

    /**
     * Of "1..10", "5" or "1,3,5".
     *
     * @throws PrpfException 2 if it is none of these
     */
    public static TopKRange parse(String text) {
        List<Integer> lengths = new ArrayList<>();
        Matcher range = RANGE.matcher(text);
        if (range.matches()) {
            IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
                    .forEach(lengths::add);
        } else if (text.matches("\\d{1,4}(,\\d{1,4})*")) {
            for (String one : text.split(",", -1)) {
                lengths.add(Integer.valueOf(one));
            }
        }
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
