package dev.prpf.base.report;

import dev.prpf.base.statistics.Interval;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How metrics are written: two decimals, a dash for what does not exist. */
public final class Shown {
    public static final String NONE = "–";

    private Shown() {}

    public static String percent(@Nullable Double percent) {
        return percent == null ? NONE : String.format(Locale.ROOT, "%.2f", percent);
    }

    public static String interval(@Nullable Interval interval) {
        return interval == null ? NONE : String.format(Locale.ROOT, "%.1f to %.1f", interval.low(), interval.high());
    }

    /** Part of whole in percent, a dash of nothing. */
    public static String share(int part, int whole) {
        return whole == 0 ? NONE : String.format(Locale.ROOT, "%.1f", 100.0 * part / whole);
    }
}
