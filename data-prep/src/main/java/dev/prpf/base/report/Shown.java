package dev.prpf.base.report;

import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats metrics: two decimals by default, a dash for a missing value. */
public final class Shown {
    public static final String NONE = "–";

    private Shown() {}

    public static String percent(@Nullable Double percent) {
        return number(percent, "%.2f");
    }

    /** Formats a number with a pattern of {@link String#format}. */
    public static String number(@Nullable Double value, String pattern) {
        return value == null ? NONE : String.format(Locale.ROOT, pattern, value);
    }

    /** Returns {@code [low, high]} with a leading space, to append to its number; empty without an interval. */
    public static String bracketed(@Nullable Interval interval, String pattern) {
        return interval == null
                ? ""
                : " [" + number(interval.low(), pattern) + ", " + number(interval.high(), pattern) + "]";
    }

    public static String interval(@Nullable Interval interval) {
        return interval == null ? NONE : String.format(Locale.ROOT, "%.1f to %.1f", interval.low(), interval.high());
    }

    /**
     * Formats mean ± standard deviation, and the number of runs if runs lack the metric. One run has no deviation.
     *
     * @param all number of all runs
     */
    public static String meanStd(MeanStd over, int all) {
        Double mean = over.mean();
        if (mean == null) {
            return NONE;
        }
        String runs = over.runs() < all ? " (" + over.runs() + " of " + all + " runs)" : "";
        return percent(mean) + (over.std() == null ? "" : " ± " + percent(over.std())) + runs;
    }

    /** Formats a share in percent; a dash if the whole is zero. */
    public static String share(int part, int whole) {
        return whole == 0 ? NONE : String.format(Locale.ROOT, "%.1f", 100.0 * part / whole);
    }
}
