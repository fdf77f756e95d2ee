package dev.prpf.eval.score;

import java.util.Collection;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a set of samples.
 *
 * @param n samples
 * @param silent samples whose every answer is silence
 * @param silentMatched samples whose best-matched answer is silence
 * @param malformed responses that could not be read
 * @param figures in percent; a figure over no samples is absent
 */
public record Metrics(int n, int silent, int silentMatched, int malformed, Map<Figure, Double> figures) {
    public Metrics {
        figures = Collections.unmodifiableMap(new EnumMap<>(figures));
    }

    public static Metrics of(Collection<SampleScore> scores) {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        for (Figure figure : Figure.values()) {
            DoubleSummaryStatistics values = scores.stream()
                    .filter(figure::counts)
                    .mapToDouble(figure::value)
                    .summaryStatistics();
            if (values.getCount() > 0) {
                figures.put(figure, 100 * values.getSum() / values.getCount());
            }
        }
        return new Metrics(
                scores.size(),
                (int) scores.stream().filter(SampleScore::silenceOnly).count(),
                (int) scores.stream().filter(score -> score.match().isSilence()).count(),
                (int) scores.stream().filter(SampleScore::malformed).count(),
                figures);
    }

    /** The figure in percent, or null where it does not exist. */
    public @Nullable Double get(Figure figure) {
        return figures.get(figure);
    }

    /** The contract's object: counts, then every figure, null where it does not exist. */
    public Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("n", n);
        json.put("n_silent", silent);
        json.put("n_silent_matched", silentMatched);
        json.put("malformed", malformed);
        for (Figure figure : Figure.values()) {
            json.put(figure.key(), figures.get(figure));
        }
        return json;
    }
}
