package dev.prpf.eval.report;

import dev.prpf.eval.score.Figure;
import dev.prpf.eval.score.Interval;
import dev.prpf.eval.score.Scores;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How figures are written: two decimals, a dash for what does not exist. */
final class Shown {
    static final String NONE = "–";

    private Shown() {}

    static String percent(@Nullable Double percent) {
        return percent == null ? NONE : String.format(Locale.ROOT, "%.2f", percent);
    }

    static String interval(@Nullable Interval interval) {
        return interval == null ? NONE : String.format(Locale.ROOT, "%.1f to %.1f", interval.low(), interval.high());
    }

    static String figure(Scores.Group group, Figure figure) {
        return percent(group.metrics().get(figure));
    }

    /** Part of whole in percent, a dash of nothing. */
    static String share(int part, int whole) {
        return whole == 0 ? NONE : String.format(Locale.ROOT, "%.1f", 100.0 * part / whole);
    }
}
