package dev.prpf.eval.suite;

import dev.prpf.base.statistics.Interval;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Metrics as a table's cells. */
public final class Cells {
    private Cells() {}

    /** {@code -} for a metric that does not exist. */
    public static String number(@Nullable Double value, String format) {
        return value == null ? "-" : String.format(Locale.ROOT, format, value);
    }

    /** {@code  [low, high]}, or nothing where there is no interval. */
    public static String interval(@Nullable Interval interval, String format) {
        return interval == null
                ? ""
                : " [" + number(interval.low(), format) + ", " + number(interval.high(), format) + "]";
    }
}
