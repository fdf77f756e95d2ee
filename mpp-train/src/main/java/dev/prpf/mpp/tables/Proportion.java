package dev.prpf.mpp.tables;

import dev.prpf.base.report.Shown;
import dev.prpf.base.statistics.ClopperPearson;
import dev.prpf.base.statistics.Interval;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A share of samples.
 *
 * @param part samples that have it
 * @param whole samples it is over; of none there is no share
 */
public record Proportion(int part, int whole) {
    private static final double LEVEL = 95;

    /** In percent, or null of nothing. */
    public @Nullable Double percent() {
        return whole == 0 ? null : 100.0 * part / whole;
    }

    /** 95 percent, Clopper-Pearson; null of nothing. */
    public @Nullable Interval interval() {
        return whole == 0 ? null : ClopperPearson.interval(part, whole, LEVEL);
    }

    /** Value with interval, for tables. */
    String shown() {
        return Shown.percent(percent()) + (whole == 0 ? "" : " [" + Shown.interval(interval()) + "]");
    }

    /** Value, interval and denominator, for JSON. */
    Map<String, @Nullable Object> json() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        Interval interval = interval();
        json.put("value", percent());
        json.put("ci", interval == null ? null : new double[] {interval.low(), interval.high()});
        json.put("n", whole);
        return json;
    }
}
