package dev.prpf.base.statistics;

/**
 * A confidence interval, in percent.
 *
 * @param low lower end
 * @param high upper end
 */
public record Interval(double low, double high) {
    public Interval {
        if (!(low <= high)) {
            throw new IllegalArgumentException("interval [" + low + ", " + high + "], the ends must be in order");
        }
    }
}
