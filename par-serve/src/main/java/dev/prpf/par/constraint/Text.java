package dev.prpf.par.constraint;

import dev.prpf.par.schema.WorkBudget;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A position within free text: the text of the grammar, and the state of its automaton. */
record Text(Site site, int state) implements Expression {
    /** One text of a grammar: its syntax, its maximum length, and the continuation of each ending. */
    static final class Site {
        private static final int NO_KEY = -1;
        private static final int OPEN = -2;

        private final TextMachine machine;
        private final int limit;
        private final int keysBefore;
        private final List<List<Expression>> exits;
        private final int[] costs;
        private int highest;

        private Site(TextMachine machine, int limit, int keysBefore, List<List<Expression>> exits) {
            this.machine = machine;
            this.limit = limit;
            this.keysBefore = keysBefore;
            this.exits = List.copyOf(exits);
            costs = exits.stream().mapToInt(Expression::cost).toArray();
        }

        /** Returns whether this is the key of an {@link OpenObject}. */
        boolean isKey() {
            return keysBefore >= 0;
        }

        /** Returns whether the response may end in this text, and is free there. */
        boolean isOpen() {
            return keysBefore == OPEN;
        }

        /** Returns the tokens reserved beyond the way to the text's end: one, for a duplicate key. */
        int reserve() {
            return keysBefore > 0 ? 1 : 0;
        }

        TextMachine machine() {
            return machine;
        }

        int limit() {
            return limit;
        }

        List<Expression> after(int exit) {
            return exits.get(exit);
        }

        int costAfter(int exit) {
            return costs[exit];
        }

        /** Returns the cost of a state and its continuation, by the cheapest exit. */
        private int cost(int state) {
            if (isOpen()) {
                return 0;
            }
            int best = Expression.NEVER;
            for (int exit = 0; exit < costs.length; exit++) {
                best = Math.min(best, machine.cost(state, exit) + costs[exit]);
            }
            return Expression.sum(best, reserve());
        }

        int highest() {
            if (highest == 0) {
                highest = IntStream.range(0, machine.states())
                        .map(this::cost)
                        .max()
                        .orElseThrow();
            }
            return highest;
        }
    }

    /** Returns a text at its first byte; the limit is in tokens. */
    static Text of(TextMachine machine, int limit, List<List<Expression>> exits) {
        return new Text(new Site(machine, limit, Site.NO_KEY, exits), 0);
    }

    /** Returns a key of an {@link OpenObject} that has this number of keys already. */
    static Text key(TextMachine machine, int limit, int keysBefore, List<Expression> then) {
        return new Text(new Site(machine, limit, keysBefore, List.of(then)), 0);
    }

    /** Returns a text in which the response may end at any place. */
    static Text open(TextMachine machine, List<List<Expression>> exits) {
        return new Text(new Site(machine, Integer.MAX_VALUE, Site.OPEN, exits), 0);
    }

    @Override
    public @Nullable List<Expression> end() {
        return site.isOpen() ? List.of() : null;
    }

    @Override
    public @Nullable List<Expression> step(int b, WorkBudget budget) {
        int code = site.machine.next(state, b);
        if (code == TextMachine.REJECTED) {
            return null;
        }
        return code >= 0 ? List.of(new Text(site, code)) : site.after(TextMachine.exit(code));
    }

    @Override
    public int cost() {
        return site.cost(state);
    }

    /** Returns the tokens to the nearest ending that can still be completed, with its continuation, in the tokens left. */
    int distance(int left, int costOfRest) {
        int nearest = Expression.NEVER;
        for (int exit = 0; exit < site.exits.size(); exit++) {
            int distance = site.machine.cost(state, exit);
            if (distance + site.costAfter(exit) + costOfRest <= left) {
                nearest = Math.min(nearest, distance);
            }
        }
        return nearest;
    }
}
