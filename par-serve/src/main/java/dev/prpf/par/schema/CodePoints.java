package dev.prpf.par.schema;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A set of characters: Unicode's code points without surrogates.
 *
 * @param ranges in order, without adjacent ranges
 */
public record CodePoints(List<Range> ranges) {
    /** A closed range of code points. */
    public record Range(int from, int to) {}

    private static final Range BELOW_SURROGATES = new Range(0, 0xD7FF);
    private static final Range BEYOND_SURROGATES = new Range(0xE000, Character.MAX_CODE_POINT);

    /** The set of all characters. */
    public static final CodePoints ALL = new CodePoints(List.of(BELOW_SURROGATES, BEYOND_SURROGATES));

    /** Returns the union of ranges, given in any order. */
    static CodePoints of(List<Range> ranges) {
        List<Range> sorted = new ArrayList<>();
        for (Range range : ranges) {
            add(sorted, range, BELOW_SURROGATES);
            add(sorted, range, BEYOND_SURROGATES);
        }
        sorted.sort(Comparator.comparingInt(Range::from));
        List<Range> merged = new ArrayList<>();
        for (Range range : sorted) {
            int last = merged.size() - 1;
            if (last >= 0 && range.from() <= merged.get(last).to() + 1) {
                Range before = merged.get(last);
                merged.set(last, new Range(before.from(), Math.max(before.to(), range.to())));
            } else {
                merged.add(range);
            }
        }
        return new CodePoints(merged);
    }

    private static void add(List<Range> ranges, Range range, Range within) {
        int from = Math.max(range.from(), within.from());
        int to = Math.min(range.to(), within.to());
        if (from <= to) {
            ranges.add(new Range(from, to));
        }
    }

    static CodePoints of(int... points) {
        List<Range> ranges = new ArrayList<>();
        for (int point : points) {
            ranges.add(new Range(point, point));
        }
        return of(ranges);
    }

    CodePoints negated() {
        List<Range> others = new ArrayList<>();
        int from = 0;
        for (Range range : ranges) {
            others.add(new Range(from, range.from() - 1));
            from = range.to() + 1;
        }
        others.add(new Range(from, Character.MAX_CODE_POINT));
        return of(others);
    }

    /** Returns this set minus the given code points. */
    public CodePoints without(int... points) {
        List<Range> out = new ArrayList<>(of(points).ranges());
        out.addAll(negated().ranges());
        return of(out).negated();
    }

    /** Returns whether the set has a code point of a range, bounds included. An empty range has none. */
    public boolean intersects(int from, int to) {
        for (Range range : ranges) {
            if (from <= to && range.from() <= to && range.to() >= from) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the set has all code points of a closed range. */
    public boolean covers(int from, int to) {
        for (Range range : ranges) {
            if (range.from() <= from && range.to() >= to) {
                return true;
            }
        }
        return false;
    }

    public boolean contains(int point) {
        return intersects(point, point);
    }

    public int size() {
        return ranges.stream().mapToInt(range -> range.to() - range.from() + 1).sum();
    }
}
