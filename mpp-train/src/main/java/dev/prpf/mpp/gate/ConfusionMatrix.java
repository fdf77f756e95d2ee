package dev.prpf.mpp.gate;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.mpp.Perception;
import org.jspecify.annotations.Nullable;

/** A gate's decisions against the labels; positive means help is due. A ratio with denominator 0 is null. */
public record ConfusionMatrix(int truePositives, int falsePositives, int trueNegatives, int falseNegatives) {
    public static ConfusionMatrix of(boolean[] decisions, boolean[] labels) {
        if (decisions.length != labels.length) {
            throw new IllegalArgumentException(
                    "decisions = " + decisions.length + ", labels = " + labels.length + ", must be equal");
        }
        int[] counts = new int[4];
        for (int i = 0; i < labels.length; i++) {
            counts[(decisions[i] ? 0 : 2) + (decisions[i] == labels[i] ? 0 : 1)]++;
        }
        return new ConfusionMatrix(counts[0], counts[1], counts[2], counts[3]);
    }

    /** Returns the matrix of the decisions p_trigger >= τ against the labels, shape (n). */
    public static ConfusionMatrix at(double tau, double[] pTrigger, boolean[] labels) {
        boolean[] decisions = new boolean[pTrigger.length];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = Perception.triggers(pTrigger[i], tau);
        }
        return of(decisions, labels);
    }

    /** Number of samples that want an intervention. */
    public int acting() {
        return truePositives + falseNegatives;
    }

    /** Number of samples that want silence. */
    public int silent() {
        return trueNegatives + falsePositives;
    }

    public int total() {
        return acting() + silent();
    }

    public @Nullable Double precision() {
        return percent(truePositives, truePositives + falsePositives);
    }

    public @Nullable Double recall() {
        return percent(truePositives, acting());
    }

    public @Nullable Double specificity() {
        return percent(trueNegatives, silent());
    }

    /** Correct filtering rate TN / (TN + FN), PRPF B.2: the share of filtered samples that want silence. */
    public @Nullable Double correctFiltering() {
        return percent(trueNegatives, trueNegatives + falseNegatives);
    }

    /** Harmonic mean of precision and recall; null if one of them is null. */
    public @Nullable Double f1() {
        return precision() == null || recall() == null
                ? null
                : percent(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
    }

    public @Nullable Double accuracy() {
        return percent(truePositives + trueNegatives, total());
    }

    /** False-trigger rate FP / (FP + TN), PRPF eq. 30; ProactiveBench's false alarm is another metric, 1 - precision. */
    public @Nullable Double falseTriggerRate() {
        return percent(falsePositives, silent());
    }

    /** ProactiveBench's false alarm, FP / (TP + FP) = 100 - precision. */
    public @Nullable Double falseAlarm() {
        return percent(falsePositives, truePositives + falsePositives);
    }

    public @Nullable Double triggerRate() {
        return percent(truePositives + falsePositives, total());
    }

    /** @throws PrpfException 65, naming the samples' owner, if a class is missing: no gate can then be trained or evaluated */
    public static void requireBothClasses(String owner, long acting, long silent) {
        if (acting == 0 || silent == 0) {
            throw new InvalidDataException(owner + ": holds " + acting + " samples that want an intervention and "
                    + silent + " silent ones; a gate needs some of both");
        }
    }

    private static @Nullable Double percent(int part, int whole) {
        return whole == 0 ? null : 100.0 * part / whole;
    }
}
