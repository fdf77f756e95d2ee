package dev.prpf.par.constraint;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Free text, being written.
 *
 * @param site which text of the response
 * @param state of its machine
 */
record Text(Site site, int state) implements Expression {
    /** One text of a grammar: how it is written, how long it may be, and what follows each of its endings. */
    static final class Site {
        private final TextMachine machine;
        private final int limit;
        private final List<List<Expression>> exits;
        private final int[] costs;

        /** @param limit in tokens */
        Site(TextMachine machine, int limit, List<List<Expression>> exits) {
            this.machine = machine;
            this.limit = limit;
            this.exits = List.copyOf(exits);
            costs = exits.stream().mapToInt(Expression::cost).toArray();
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

        /** Cost of what follows an ending. */
        int costAfter(int exit) {
            return costs[exit];
        }
    }

    /** The text from its first byte on. */
    static Text of(TextMachine machine, int limit, List<List<Expression>> exits) {
        return new Text(new Site(machine, limit, exits), 0);
    }

    @Override
    public @Nullable List<Expression> step(int b) {
        int code = site.machine.next(state, b);
        if (code == TextMachine.REJECTED) {
            return null;
        }
        return code >= 0 ? List.of(new Text(site, code)) : site.after(TextMachine.exit(code));
    }

    @Override
    public @Nullable List<Expression> end() {
        return null;
    }

    /** By the first ending, which is never dearer to complete than another. */
    @Override
    public int cost() {
        return Cost.sum(site.machine.cost(state, 0), site.costAfter(0));
    }

    /** Tokens to the nearest ending of those that can still be completed within so many, what follows all of this included. */
    int distance(int left, int costOfRest) {
        int nearest = Cost.NEVER;
        for (int exit = 0; exit < site.exits.size(); exit++) {
            int distance = site.machine.cost(state, exit);
            if (distance + site.costAfter(exit) + costOfRest <= left) {
                nearest = Math.min(nearest, distance);
            }
        }
        return nearest;
    }
}
