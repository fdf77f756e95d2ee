package dev.prpf.base.statistics;

import com.fasterxml.jackson.annotation.JsonFormat;

/**
 * A confidence interval, in the unit of its estimate. In JSON: {@code [low, high]}.
 *
 * @param low lower end
 * @param high upper end
 */
@JsonFormat(shape = JsonFormat.Shape.ARRAY)
public record Interval(double low, double high) {
    public Interval {
        if (!(low <= high)) {
            throw new IllegalArgumentException("interval [" + low + ", " + high + "], the ends must be in order");
        }
    }
}
