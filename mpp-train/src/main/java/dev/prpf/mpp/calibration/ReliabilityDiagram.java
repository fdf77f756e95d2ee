package dev.prpf.mpp.calibration;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.LineChart;
import dev.prpf.base.statistics.ClopperPearson;
import dev.prpf.base.statistics.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The share of acting samples at each level of p_trigger, in ten bins of equal width without the empty ones.
 *
 * @param ece expected calibration error, percent: the mean over samples of |share acting - mean p_trigger| of their bin (Guo et al. 2017)
 */
public record ReliabilityDiagram(int n, double ece, List<Bin> bins) {
    private static final int BINS = 10;
    private static final double LEVEL = 95;

    /** The samples of one bin: their mean p_trigger, and the share that acts with its 95 percent Clopper-Pearson interval. */
    public record Bin(
            int n,
            @JsonProperty("p_trigger") double probability,
            double acting,
            @JsonFormat(shape = JsonFormat.Shape.OBJECT) Interval interval) {}

    /** Makes the diagram of samples. Both arrays have shape (n), n at least 1: probabilities, and whether each sample wants an intervention. */
    public static ReliabilityDiagram of(double[] pTrigger, boolean[] acts) {
        int[] n = new int[BINS];
        int[] acting = new int[BINS];
        double[] sums = new double[BINS];
        for (int i = 0; i < acts.length; i++) {
            int bin = Math.min(BINS - 1, (int) (pTrigger[i] * BINS));
            n[bin]++;
            acting[bin] += acts[i] ? 1 : 0;
            sums[bin] += pTrigger[i];
        }
        List<Bin> bins = new ArrayList<>();
        double error = 0;
        for (int b = 0; b < BINS; b++) {
            if (n[b] > 0) {
                Interval interval = ClopperPearson.interval(acting[b], n[b], LEVEL);
                Bin bin = new Bin(n[b], 100 * sums[b] / n[b], 100.0 * acting[b] / n[b], interval);
                bins.add(bin);
                error += n[b] * Math.abs(bin.acting() - bin.probability());
            }
        }
        return new ReliabilityDiagram(acts.length, error / acts.length, bins);
    }

    /** Draws the share acting over p_trigger with its interval, and the diagonal of perfect calibration. */
    public Block.Drawing drawing(String what) {
        String caption = String.format(
                Locale.ROOT,
                "Reliability of p_trigger %s: share of acting samples over mean p_trigger, percent, ten bins"
                        + " with 95 %% intervals; n = %d, ECE = %.2f",
                what,
                n,
                ece);
        List<LineChart.Line> lines = List.of(
                line("share acting", Bin::acting),
                new LineChart.Line("perfect", List.of(new LineChart.Point(0, 0), new LineChart.Point(100, 100))),
                line("interval, low", bin -> bin.interval().low()),
                line("interval, high", bin -> bin.interval().high()));
        LineChart.Axes axes = new LineChart.Axes("p_trigger, percent", 0.0, 100.0, null);
        return new Block.Drawing(caption, LineChart.svg(caption, axes, lines));
    }

    private LineChart.Line line(String name, ToDoubleFunction<Bin> of) {
        return LineChart.Line.of(name, bins, Bin::probability, of);
    }
}
