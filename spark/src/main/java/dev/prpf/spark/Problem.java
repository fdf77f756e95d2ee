package dev.prpf.spark;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.io.Serializable;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;

/**
 * A reason to reject a record. The job reports the first by rank and index, independent of task order.
 *
 * @param rank of the kind of problem: the lowest is reported first, at any index
 * @param index of the record
 */
record Problem(int rank, long index, String message) implements Serializable, Comparable<Problem> {
    /** Returns the problem if {@code reading} fails, else nothing. */
    static Iterator<Problem> of(long index, Runnable reading) {
        try {
            reading.run();
            return Collections.emptyIterator();
        } catch (InvalidDataException e) {
            return List.of(new Problem(0, index, String.valueOf(e.getMessage())))
                    .iterator();
        }
    }

    /** @throws PrpfException 65, with the first problem, if there are any */
    static void requireNone(JavaRDD<Problem> problems) {
        problems.takeOrdered(1).forEach(first -> {
            throw new InvalidDataException(first.message());
        });
    }

    @Override
    public int compareTo(Problem other) {
        return rank != other.rank ? Integer.compare(rank, other.rank) : Long.compare(index, other.index);
    }
}
