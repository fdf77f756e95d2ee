package dev.prpf.mpp.network.definition;

import java.util.stream.IntStream;

/** The network's outputs for n samples, before the sigmoids of PRPF eq. 7 and 8: trigger, shape (n), and scenarios, shape (n, S). */
public record Logits(float[] trigger, float[][] scenarios) {
    /** The first n of rows that hold the trigger's logit, then the scenarios'. */
    public static Logits of(double[][] rows, int n) {
        float[] trigger = new float[n];
        float[][] scenarios = new float[n][rows[0].length - 1];
        for (int i = 0; i < n; i++) {
            trigger[i] = (float) rows[i][0];
            for (int s = 0; s < scenarios[i].length; s++) {
                scenarios[i][s] = (float) rows[i][s + 1];
            }
        }
        return new Logits(trigger, scenarios);
    }

    /** A row a sample: the trigger's logit, then the scenarios', (n, 1 + S). */
    double[][] rows() {
        return IntStream.range(0, trigger.length).mapToObj(this::row).toArray(double[][]::new);
    }

    private double[] row(int sample) {
        double[] row = new double[1 + scenarios[sample].length];
        row[0] = trigger[sample];
        for (int s = 0; s < scenarios[sample].length; s++) {
            row[s + 1] = scenarios[sample][s];
        }
        return row;
    }
}
