package dev.prpf.spark;

import dev.prpf.base.error.InvalidDataException;
import java.io.Serializable;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;

/** A reason to reject the record at an index. The job reports the first by index, independent of task order. */
record Problem(long index, String message) implements Serializable, Comparable<Problem> {
    /** Returns the problem if {@code reading} fails, else nothing. */
    static Iterator<Problem> of(long index, Runnable reading) {
        try {
            reading.run();
            return Collections.emptyIterator();
        } catch (InvalidDataException e) {
            return List.of(new Problem(index, String.valueOf(e.getMessage()))).iterator();
        }
    }

    /** Ends with 65 and the first problem, if there are any. */
    static void requireNone(JavaRDD<Problem> problems) {
        problems.takeOrdered(1).forEach(first -> {
            throw new InvalidDataException(first.message());
        });
    }

    @Override
    public int compareTo(Problem other) {
        return Long.compare(index, other.index);
    }
}
