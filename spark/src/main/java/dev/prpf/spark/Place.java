package dev.prpf.spark;

import java.io.Serializable;
import java.util.Comparator;

/**
 * The position of a finding or text; sorting by it gives the order of a walk over all records.
 *
 * @param index of the record; -1 before the first
 * @param position within the record
 */
record Place(long index, int position) implements Serializable, Comparable<Place> {
    private static final Comparator<Place> ORDER =
            Comparator.comparingLong(Place::index).thenComparingInt(Place::position);

    @Override
    public int compareTo(Place other) {
        return ORDER.compare(this, other);
    }
}
