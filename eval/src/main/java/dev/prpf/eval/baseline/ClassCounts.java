package dev.prpf.eval.baseline;

import dev.prpf.base.error.InvalidDataException;

/** The check that every classifier here makes of its labels. */
final class ClassCounts {
    private ClassCounts() {}

    /** Number of positive labels; both classes must occur and there must be one label a row. */
    static int positives(int rows, boolean[] labels) {
        if (rows != labels.length) {
            throw new InvalidDataException("classifier: rows = " + rows + ", labels = " + labels.length
                    + ", must be equal; give one label a row");
        }
        int positives = 0;
        for (boolean label : labels) {
            positives += label ? 1 : 0;
        }
        if (positives == 0 || positives == labels.length) {
            throw new InvalidDataException("classifier: " + positives + " of " + labels.length
                    + " labels are positive, both classes must occur; give training rows of the other class");
        }
        return positives;
    }
}
