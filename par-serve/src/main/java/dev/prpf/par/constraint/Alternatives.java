package dev.prpf.par.constraint;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several ways to go on, followed side by side until the text has told which it is (sets of partial derivatives, Antimirov 1996). A way is a
 * stack of expressions; what follows all of them must begin with a byte that none of them can go on with.
 */
final class Alternatives implements Expression {
    /** Ways that are followed; of more, those nearest to their end. */
    static final int MAX_WAYS = 32;

    private final Set<List<Expression>> ways;
    private final boolean told;
    private final int cost;
    private final int hash;

    private Alternatives(Set<List<Expression>> ways, boolean told) {
        this.ways = ways;
        this.told = told;
        cost = ways.stream().mapToInt(Expression::cost).min().orElse(NEVER);
        hash = ways.hashCode();
    }

    /** A choice between values. */
    static Expression of(List<Expression> choices) {
        return choices.size() == 1
                ? choices.get(0)
                : new Alternatives(
                        choices.stream().map(List::of).collect(Collectors.toCollection(LinkedHashSet::new)), true);
    }

    /**
     * A choice between expressions one after the other.
     *
     * @param told whether what follows begins with a byte that none of them can go on with; else this stands within another that is
     */
    static Expression ofWays(List<List<Expression>> ways, boolean told) {
        return new Alternatives(new LinkedHashSet<>(ways), told);
    }

    /** What may be expected after a byte at the beginning of a stack, or null if it cannot come. */
    static @Nullable List<Expression> after(List<Expression> stack, int b) {
        Set<List<Expression>> ways = new LinkedHashSet<>();
        advance(stack, b, ways::add);
        if (ways.size() > MAX_WAYS) {
            Set<List<Expression>> nearest = ways.stream()
                    .sorted(Comparator.comparingInt(Expression::cost))
                    .limit(MAX_WAYS)
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            return List.of(new Alternatives(nearest, true));
        } else if (ways.isEmpty()) {
            return null;
        }
        List<Expression> only = ways.iterator().next();
        return ways.size() == 1 && only.stream().allMatch(Alternatives::told)
                ? only
                : List.of(new Alternatives(ways, true));
    }

    private static boolean told(Expression expression) {
        return expression instanceof Alternatives choice
                ? choice.told
                : !(expression instanceof Characters.Times times) || times.told();
    }

    private static void advance(List<Expression> stack, int b, Consumer<List<Expression>> ways) {
        if (stack.isEmpty()) {
            return;
        }
        Expression head = stack.get(0);
        List<Expression> tail = stack.subList(1, stack.size());
        if (head instanceof Alternatives choice) {
            choice.ways.forEach(way -> advance(way, b, rest -> ways.accept(joined(rest, tail))));
        } else if (head instanceof Characters.Times times) {
            List<Expression> fewer = times.fewer();
            advance(List.of(times.of()), b, rest -> ways.accept(joined(joined(rest, fewer), tail)));
        } else {
            List<Expression> next = head.step(b);
            if (next != null) {
                ways.accept(joined(next, tail));
            }
        }
        List<Expression> ended = head.end();
        if (ended != null) {
            advance(joined(ended, tail), b, ways);
        }
    }

    private static List<Expression> joined(List<Expression> first, List<Expression> then) {
        return then.isEmpty()
                ? List.copyOf(first)
                : Stream.concat(first.stream(), then.stream()).toList();
    }

    /** Whether a stack may end without another byte. */
    static boolean mayEnd(List<Expression> stack) {
        return stack.stream().allMatch(expression -> {
            List<Expression> ended = expression.end();
            return ended != null && mayEnd(ended);
        });
    }

    @Override
    public @Nullable List<Expression> step(int b) {
        return after(List.of(this), b);
    }

    @Override
    public @Nullable List<Expression> end() {
        return ways.stream().anyMatch(Alternatives::mayEnd) ? List.of() : null;
    }

    @Override
    public int cost() {
        return cost;
    }

    @Override
    public int onlyByte() {
        int[] next = ways.stream()
                .mapToInt(way -> way.isEmpty() ? -1 : way.get(0).onlyByte())
                .distinct()
                .limit(2)
                .toArray();
        return next.length == 1 ? next[0] : -1;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Alternatives same && hash == same.hash && told == same.told && ways.equals(same.ways);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
