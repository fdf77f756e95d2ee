package dev.prpf.par.schema;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.schema.Schema.Regex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Restricts an expression to strings with a length between bounds. Each character lowers the bounds for the following parts by one, so the
 * result is a graph with a node for each part and length. Parts that always fit the bounds are not unrolled.
 */
final class BoundedPattern {
    /** Maximum unrolled length; with a larger bound only strings up to this length can be generated. */
    private static final int MAX_UNROLLED = 200;

    private static final int MAX_DEPTH = 1024;

    private static final long OPERATIONS = 1 << 14;
    private static final Regex EMPTY = new Regex.Sequence(List.of());

    private final WorkBudget budget = new WorkBudget("pattern with minLength or maxLength", OPERATIONS);
    private final WorkBudget document;
    private final Map<Bounded, @Nullable Regex> known = new HashMap<>();

    /** Parts that are currently unrolled, with their depth. */
    private final Map<Bounded, Integer> open = new HashMap<>();

    /** The least depth of open parts that a result depends on. */
    private int lowest = Integer.MAX_VALUE;

    private int depth;

    private BoundedPattern(WorkBudget document) {
        this.document = document;
    }

    /** A sequence of parts with its minimum and maximum number of characters. */
    private record Parts(Regex first, @Nullable Parts rest, long least, long most) {
        static Parts of(Regex first, @Nullable Parts rest) {
            return new Parts(
                    first,
                    rest,
                    leastOf(first) + (rest == null ? 0 : rest.least),
                    Math.min(Schema.UNBOUNDED, mostOf(first) + (rest == null ? 0 : rest.most)));
        }
    }

    private record Bounded(Parts parts, int min, int max) {}

    /**
     * Returns an expression for the strings with a length in the bounds, or null if no string has.
     *
     * @param max number of characters, or {@link Schema#UNBOUNDED}
     * @param document counts the operations of a whole schema
     * @throws dev.prpf.base.error.PrpfException.InvalidDataException if it would have too many parts
     */
    static @Nullable Regex of(Regex pattern, int min, int max, WorkBudget document) {
        Parts parts = Parts.of(pattern, null);
        boolean unrolled = parts.most() > MAX_UNROLLED && !(trimmed(pattern) instanceof Regex.Times);
        int most = unrolled && max < Schema.UNBOUNDED ? Math.min(max, Math.max(min, MAX_UNROLLED)) : max;
        return new BoundedPattern(document).restrict(Parts.of(trimmed(pattern), null), min, most);
    }

    /** Replaces a sequence of one part by this part. */
    private static Regex trimmed(Regex pattern) {
        return pattern instanceof Regex.Sequence sequence && sequence.parts().size() == 1
                ? trimmed(sequence.parts().get(0))
                : pattern;
    }

    private @Nullable Regex restrict(@Nullable Parts parts, int min, int max) {
        if (parts == null) {
            return min <= 0 && max >= 0 ? EMPTY : null;
        } else if (parts.least() > max || parts.most() < min) {
            return null;
        } else if (parts.least() >= min && parts.most() <= max) {
            return whole(parts);
        } else if (parts.rest() == null
                && parts.first() instanceof Regex.Times times
                && times.of() instanceof Regex.One) {
            int least = Math.max(times.min(), min);
            int most = Math.min(times.max(), max);
            return new Regex.Times(times.of(), least, most);
        }
        Bounded key = new Bounded(parts, min, max);
        Integer at = open.get(key);
        if (at != null) { // a cycle without a character adds nothing
            lowest = Math.min(lowest, at);
            return null;
        }
        return known.containsKey(key) ? known.get(key) : opened(key);
    }

    /** Unrolls parts to a given length. A result that depends on other open parts is valid only within them and is not cached. */
    private @Nullable Regex opened(Bounded key) {
        budget.spend(1);
        document.spend(1);
        if (++depth > MAX_DEPTH) {
            throw new InvalidDataException("pattern with minLength or maxLength has more than " + MAX_DEPTH
                    + " nested characters and parts; give a shorter length or a simpler pattern");
        }
        int outer = lowest;
        lowest = Integer.MAX_VALUE;
        open.put(key, depth);
        Regex made = unrolled(key.parts(), key.min(), key.max());
        open.remove(key);
        if (lowest >= depth) {
            known.put(key, made);
            lowest = outer;
        } else {
            lowest = Math.min(lowest, outer);
        }
        depth--;
        return made;
    }

    private @Nullable Regex unrolled(Parts parts, int min, int max) {
        Parts rest = parts.rest();
        if (parts.first() instanceof Regex.One) {
            int most = max == Schema.UNBOUNDED ? max : max - 1;
            Regex after = restrict(rest, Math.max(0, min - 1), most);
            return after == null ? null : new Regex.Sequence(List.of(parts.first(), after));
        }
        List<Regex> ways = new ArrayList<>();
        if (parts.first() instanceof Regex.Sequence sequence) {
            add(ways, restrict(prepended(sequence.parts(), rest), min, max));
        } else if (parts.first() instanceof Regex.Choice choice) {
            choice.branches().forEach(branch -> add(ways, restrict(Parts.of(branch, rest), min, max)));
        } else if (parts.first() instanceof Regex.Times times) {
            if (times.min() == 0) {
                add(ways, restrict(rest, min, max));
            }
            int most = times.max() == Schema.UNBOUNDED ? times.max() : times.max() - 1;
            if (times.max() > 0) {
                Regex fewer = new Regex.Times(times.of(), Math.max(0, times.min() - 1), most);
                add(ways, restrict(Parts.of(times.of(), most == 0 ? rest : Parts.of(fewer, rest)), min, max));
            }
        }
        return ways.isEmpty() ? null : ways.size() == 1 ? ways.get(0) : new Regex.Choice(ways);
    }

    private static void add(List<Regex> ways, @Nullable Regex way) {
        if (way != null) {
            ways.add(way);
        }
    }

    private static @Nullable Parts prepended(List<Regex> parts, @Nullable Parts rest) {
        Parts all = rest;
        for (int i = parts.size() - 1; i >= 0; i--) {
            all = Parts.of(parts.get(i), all);
        }
        return all;
    }

    private static Regex whole(Parts parts) {
        List<Regex> all = new ArrayList<>();
        for (Parts at = parts; at != null; at = at.rest()) {
            all.add(at.first());
        }
        return new Regex.Sequence(all);
    }

    private static long leastOf(Regex regex) {
        return lengthOf(regex, Regex.Times::min, lengths -> lengths.min().orElse(Schema.UNBOUNDED));
    }

    private static long mostOf(Regex regex) {
        return lengthOf(regex, Regex.Times::max, lengths -> lengths.max().orElse(0));
    }

    private static long lengthOf(Regex regex, ToIntFunction<Regex.Times> times, ToLongFunction<LongStream> branch) {
        long length = 1;
        if (regex instanceof Regex.Sequence sequence) {
            length = sequence.parts().stream()
                    .mapToLong(part -> lengthOf(part, times, branch))
                    .sum();
        } else if (regex instanceof Regex.Choice choice) {
            length = branch.applyAsLong(choice.branches().stream().mapToLong(one -> lengthOf(one, times, branch)));
        } else if (regex instanceof Regex.Times repeated) {
            length = times.applyAsInt(repeated) * lengthOf(repeated.of(), times, branch);
        }
        return Math.min(Schema.UNBOUNDED, length);
    }
}
