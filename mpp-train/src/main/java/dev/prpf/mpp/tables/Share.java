package dev.prpf.mpp.tables;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.report.Shown;
import dev.prpf.base.statistics.ClopperPearson;
import dev.prpf.base.statistics.Interval;
import org.jspecify.annotations.Nullable;

/** A metric in percent (null if undefined) with its 95 percent interval, over n samples, or pairs of sample and scenario. */
record Share(@Nullable Double value, @JsonProperty("ci") @Nullable Interval interval, int n) {
    private static final double LEVEL = 95;

    /** Returns part / whole with its Clopper-Pearson interval; null values if whole is 0. */
    static Share of(int part, int whole) {
        return whole == 0
                ? new Share(null, null, 0)
                : new Share(100.0 * part / whole, ClopperPearson.interval(part, whole, LEVEL), whole);
    }

    String shown() {
        return Shown.percent(value) + (interval == null ? "" : " [" + Shown.interval(interval) + "]");
    }
}
