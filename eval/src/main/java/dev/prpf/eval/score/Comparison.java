package dev.prpf.eval.score;

import dev.prpf.base.statistics.Interval;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Two sets of predictions of the same samples, figure by figure.
 *
 * @param n samples
 * @param bootstrap that made the intervals
 * @param rows by the figure's key; null where no sample counts
 */
public record Comparison(int n, Bootstrap bootstrap, Map<String, @Nullable Row> rows) {
    /** The figures that are compared: those whose denominator is the same on both sides. */
    public static final List<Figure> FIGURES =
            List.of(Figure.TYPE_ACC, Figure.SR, Figure.SR_ACT, Figure.FTR, Figure.PRECISION, Figure.RECALL, Figure.F1);

    public Comparison {
        rows = Collections.unmodifiableMap(new LinkedHashMap<>(rows));
    }

    /**
     * One figure.
     *
     * @param n samples that it counts
     * @param before of the first predictions
     * @param after of the second ones
     * @param difference after less before
     * @param interval of the difference: samples are drawn with replacement, each with both of its predictions
     */
    public record Row(int n, double before, double after, double difference, Interval interval) {
        private Map<String, Object> toJson() {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("n", n);
            figures.put("before", before);
            figures.put("after", after);
            figures.put("difference", difference);
            figures.put("ci", List.of(interval.low(), interval.high()));
            return figures;
        }
    }

    /** As {@code eval compare --json} prints it. */
    public Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("n", n);
        json.put("resamples", bootstrap.resamples());
        json.put("seed", bootstrap.seed());
        rows.forEach((key, row) -> json.put(key, row == null ? null : row.toJson()));
        return json;
    }
}
