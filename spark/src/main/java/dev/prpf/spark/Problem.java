package dev.prpf.spark;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.io.Serializable;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;

/**
 * Why a record is refused; of several the first is told, whichever task found its own first.
 *
 * @param rank of what is wrong: the lowest comes first, wherever it stands
 * @param index of the record
 */
record Problem(int rank, long index, String message) implements Serializable, Comparable<Problem> {
    /** What is wrong if {@code reading} fails; none if it does not. */
    static Iterator<Problem> of(long index, Runnable reading) {
        try {
            reading.run();
            return Collections.emptyIterator();
        } catch (InvalidDataException e) {
            return List.of(new Problem(0, index, String.valueOf(e.getMessage())))
                    .iterator();
        }
    }

    /** @throws PrpfException 65, with the first, if there are any */
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
