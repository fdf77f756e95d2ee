package dev.prpf.base.report;

import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How metrics are written: two decimals where no pattern is given, a dash for what does not exist. */
public final class Shown {
    public static final String NONE = "–";

    private Shown() {}

    public static String percent(@Nullable Double percent) {
        return number(percent, "%.2f");
    }

    /** By a pattern of {@link String#format}. */
    public static String number(@Nullable Double value, String pattern) {
        return value == null ? NONE : String.format(Locale.ROOT, pattern, value);
    }

    /** {@code  [low, high]}, to stand behind its number; nothing where there is no interval. */
    public static String bracketed(@Nullable Interval interval, String pattern) {
        return interval == null
                ? ""
                : " [" + number(interval.low(), pattern) + ", " + number(interval.high(), pattern) + "]";
    }

    public static String interval(@Nullable Interval interval) {
        return interval == null ? NONE : String.format(Locale.ROOT, "%.1f to %.1f", interval.low(), interval.high());
    }

    /**
     * Mean ± standard deviation, and the number of runs where some have no such metric.
     *
     * @param all runs
     */
    public static String meanStd(MeanStd over, int all) {
        Double mean = over.mean();
        if (mean == null) {
            return NONE;
        }
        String some = over.runs() < all ? " (" + over.runs() + " of " + all + " runs)" : "";
        return percent(mean) + " ± " + percent(over.std()) + some;
    }

    /** Part of whole in percent, a dash of nothing. */
    public static String share(int part, int whole) {
        return whole == 0 ? NONE : String.format(Locale.ROOT, "%.1f", 100.0 * part / whole);
    }
}
