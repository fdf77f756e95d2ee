package dev.prpf.cli.tracking;

import java.util.Comparator;

/**
 * A place in {@code metrics.jsonl}, whose steps ascend; it stays where it is when lines are rewound and written again.
 *
 * @param step of the line; lines of earlier steps lie before it
 * @param lines of that step up to it, itself included
 */
record Sent(long step, int lines) implements Comparable<Sent> {
    static final Sent NONE = new Sent(Long.MIN_VALUE, 0);

    /** The place of the next line. */
    Sent next(long itsStep) {
        return itsStep == step ? new Sent(step, lines + 1) : new Sent(itsStep, 1);
    }

    boolean isBefore(Sent other) {
        return compareTo(other) < 0;
    }

    @Override
    public int compareTo(Sent other) {
        return Comparator.comparingLong(Sent::step)
                .thenComparingInt(Sent::lines)
                .compare(this, other);
    }
}
