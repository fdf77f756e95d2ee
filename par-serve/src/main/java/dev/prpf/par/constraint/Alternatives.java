package dev.prpf.par.constraint;

import dev.prpf.par.schema.Schema;
import dev.prpf.par.schema.WorkBudget;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Several alternatives, followed in parallel until the text has decided between them (sets of partial derivatives, Antimirov 1996). An alternative is
 * a stack of expressions. What follows all of them must begin with a byte that none of them can continue with.
 */
final class Alternatives implements Expression {
    /** Most alternatives that are followed; of more, those nearest to their end. */
    static final int MAX_WAYS = 32;

    private static final int MOST_COMPARED = 4;
    private static final ThreadLocal<int[]> COMPARED = ThreadLocal.withInitial(() -> new int[1]);

    private final Set<List<Expression>> ways;
    private final boolean delimited;
    private final int cost;
    private final int hash;
    private final int weight;
    private final boolean mayEnd;
    private @Nullable Integer onlyByte;
    private @Nullable Set<Expression> heads;

    private Alternatives(Set<List<Expression>> ways, boolean delimited) {
        this.ways = ways;
        this.delimited = delimited;
        cost = ways.stream().mapToInt(Expression::cost).min().orElse(NEVER);
        hash = ways.hashCode();
        weight = 1 + ways.stream().mapToInt(List::size).sum();
        mayEnd = ways.stream().anyMatch(Alternatives::mayEnd);
    }

    static Expression of(List<Expression> choices) {
        return choices.size() == 1
                ? choices.get(0)
                : new Alternatives(
                        choices.stream().map(List::of).collect(Collectors.toCollection(LinkedHashSet::new)), true);
    }

    /**
     * Returns a choice between sequences of expressions.
     *
     * @param delimited whether the text after the choice begins with a byte that no sequence can continue with; else the enclosing expression
     *     guarantees it
     */
    static Expression ofWays(List<List<Expression>> ways, boolean delimited) {
        return new Alternatives(new LinkedHashSet<>(ways), delimited);
    }

    /**
     * Returns the expressions expected after a byte at the beginning of a stack, or null if the byte cannot follow.
     *
     * @param budget counts the alternatives examined
     */
    static @Nullable List<Expression> after(List<Expression> stack, int b, WorkBudget budget) {
        Ways ways = new Ways();
        new Derivative(b, budget).add(stack, ways);
        Set<List<Expression>> found = withoutContained(ways.found, budget);
        if (found.size() > MAX_WAYS) {
            Set<List<Expression>> nearest = found.stream()
                    .sorted(Comparator.comparingInt(Expression::cost))
                    .limit(MAX_WAYS)
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            return List.of(new Alternatives(nearest, true));
        } else if (found.isEmpty()) {
            return null;
        }
        List<Expression> only = found.iterator().next();
        return found.size() == 1 && only.stream().allMatch(Alternatives::isDelimited)
                ? only
                : List.of(new Alternatives(found, true));
    }

    /**
     * Drops alternatives that another one covers: two that differ only in the counts of their parts. Otherwise a count in a repetition would have a
     * state for every set of counts.
     */
    private static Set<List<Expression>> withoutContained(Set<List<Expression>> found, WorkBudget budget) {
        if (found.size() < 2) {
            return found;
        }
        Map<List<Expression>, List<List<Expression>>> alike = new LinkedHashMap<>();
        for (List<Expression> way : found) {
            List<List<Expression>> others = alike.computeIfAbsent(
                    way.stream().map(Alternatives::uncounted).toList(), k -> new ArrayList<>());
            budget.spend(others.size());
            if (others.stream().noneMatch(other -> contains(other, way))) {
                others.removeIf(other -> contains(way, other));
                others.add(way);
            }
        }
        return alike.values().stream().flatMap(List::stream).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static Expression uncounted(Expression part) {
        return part instanceof Times times ? new Times(times.of(), 0, Schema.UNBOUNDED, times.delimited()) : part;
    }

    /** Returns whether an alternative covers another one that differs only in counts. */
    private static boolean contains(List<Expression> way, List<Expression> other) {
        for (int i = 0; i < way.size(); i++) {
            if (way.get(i) instanceof Times times
                    && other.get(i) instanceof Times less
                    && (times.min() > less.min() || times.max() < less.max())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDelimited(Expression expression) {
        return expression instanceof Alternatives choice
                ? choice.delimited
                : !(expression instanceof Times times) || times.delimited();
    }

    /** The alternatives found so far, and the stacks already expanded. */
    private static final class Ways {
        private final Set<List<Expression>> found = new LinkedHashSet<>();
        private final Set<List<Expression>> seen = new HashSet<>();
    }

    /** Derivatives by one byte. Each expression is derived once, for any number of stacks that contain it. */
    private static final class Derivative {
        private final int b;
        private final WorkBudget budget;
        private final Map<Expression, Set<List<Expression>>> known = new HashMap<>();

        Derivative(int b, WorkBudget budget) {
            this.b = b;
            this.budget = budget;
        }

        void add(List<Expression> stack, Ways ways) {
            List<Expression> at = stack;
            while (!at.isEmpty() && ways.seen.add(at)) {
                Expression head = at.get(0);
                List<Expression> tail = at.subList(1, at.size());
                budget.spend(at.size());
                for (List<Expression> rest : of(head)) {
                    List<Expression> way = joined(rest, tail);
                    budget.spend(1L + way.size());
                    ways.found.add(way);
                }
                List<Expression> ended = head.end();
                if (ended == null) {
                    return;
                }
                at = joined(ended, tail);
            }
        }

        private Set<List<Expression>> of(Expression head) {
            return Values.known(
                    known,
                    head,
                    key -> key instanceof Alternatives || key instanceof Times
                            ? compound(key)
                            : simple(key.step(b, budget)));
        }

        private static Set<List<Expression>> simple(@Nullable List<Expression> next) {
            return next == null ? Set.of() : Set.of(next);
        }

        private Set<List<Expression>> compound(Expression head) {
            Ways ways = new Ways();
            if (head instanceof Alternatives choice) {
                choice.ways.forEach(way -> add(way, ways));
            } else if (head instanceof Times times) {
                List<Expression> fewer = times.fewer();
                of(times.of()).forEach(rest -> ways.found.add(joined(rest, fewer)));
            }
            return ways.found;
        }
    }

    private static List<Expression> joined(List<Expression> first, List<Expression> then) {
        if (first.isEmpty() || then.isEmpty()) {
            return first.isEmpty() ? then : first;
        }
        Expression[] all = first.toArray(new Expression[first.size() + then.size()]);
        for (int i = first.size(); i < all.length; i++) {
            all[i] = then.get(i - first.size());
        }
        return Arrays.asList(all);
    }

    /**
     * Returns the simple expressions that can read the next byte of a compound expression; empty for a simple one. Two bytes that these read alike
     * lead to the same stacks.
     */
    static Set<Expression> heads(Expression compound, WorkBudget budget) {
        Set<Expression> found = new LinkedHashSet<>();
        if (compound instanceof Times times) {
            addHeads(List.of(times.of()), found, budget);
        } else if (compound instanceof Alternatives choice) {
            if (choice.heads == null) {
                choice.ways.forEach(way -> addHeads(way, found, budget));
                choice.heads = found;
            }
            return choice.heads;
        }
        return found;
    }

    private static void addHeads(List<Expression> stack, Set<Expression> found, WorkBudget budget) {
        List<Expression> at = stack;
        while (!at.isEmpty()) {
            Expression head = at.get(0);
            Set<Expression> within = heads(head, budget);
            budget.spend(1L + within.size());
            found.addAll(within.isEmpty() ? Set.of(head) : within);
            List<Expression> ended = head.end();
            at = ended == null ? List.of() : joined(ended, at.subList(1, at.size()));
        }
    }

    static boolean mayEnd(List<Expression> stack) {
        return stack.stream().allMatch(expression -> {
            List<Expression> ended = expression.end();
            return ended != null && mayEnd(ended);
        });
    }

    @Override
    public @Nullable List<Expression> step(int b, WorkBudget budget) {
        return after(List.of(this), b, budget);
    }

    @Override
    public @Nullable List<Expression> end() {
        return mayEnd ? List.of() : null;
    }

    @Override
    public int cost() {
        return cost;
    }

    @Override
    public int weight() {
        return weight;
    }

    @Override
    public int onlyByte() {
        if (onlyByte == null) {
            onlyByte = findOnlyByte(); // once: nested choices may share their parts
        }
        return onlyByte;
    }

    private int findOnlyByte() {
        int[] next = ways.stream()
                .mapToInt(way -> way.isEmpty() ? -1 : way.get(0).onlyByte())
                .distinct()
                .limit(2)
                .toArray();
        return next.length == 1 ? next[0] : -1;
    }

    /** Compares choices to a bounded depth. Deeper choices count as different, since comparing shared parts on every path has no bound. */
    @Override
    public boolean equals(@Nullable Object other) {
        if (other == this) {
            return true;
        }
        if (!(other instanceof Alternatives same) || hash != same.hash || delimited != same.delimited) {
            return false;
        }
        int[] depth = COMPARED.get();
        depth[0]++;
        try {
            return depth[0] <= MOST_COMPARED && ways.equals(same.ways);
        } finally {
            depth[0]--;
        }
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /**
     * A repetition of an expression.
     *
     * @param of the repeated expression, which takes at least one byte each time
     * @param max most number of times, at least one, or {@link Schema#UNBOUNDED}
     * @param delimited whether the text after the repetition begins with a byte that cannot continue it; else the repetition is part of {@link
     *     Alternatives}
     */
    record Times(Expression of, int min, int max, boolean delimited) implements Expression {
        /** Returns this repetition with one time less; empty if that was the last. */
        List<Expression> fewer() {
            int most = max == Schema.UNBOUNDED ? max : max - 1;
            return most == 0 ? List.of() : List.of(new Times(of, Math.max(0, min - 1), most, delimited));
        }

        /**
         * Returns a repetition that allows the same tokens, with smaller counts. More repetitions than a token has bytes do not change the allowed
         * tokens.
         */
        Times alike(int longestToken) {
            return min == 0 && max > longestToken ? new Times(of, 0, longestToken + 1, delimited) : this;
        }

        @Override
        public @Nullable List<Expression> step(int b, WorkBudget budget) {
            return after(List.of(this), b, budget);
        }

        @Override
        public @Nullable List<Expression> end() {
            return min == 0 ? List.of() : null;
        }

        @Override
        public int cost() {
            return (int) Math.min(NEVER, (long) min * of.cost());
        }
    }
}
