package dev.prpf.par.constraint;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a response so far leaves open: an expression, and what is expected after it. Equal states are one object of their {@link
 * States}, and remember where each byte leads and which tokens may come.
 */
final class State {
    private final States table;
    private final int number;
    private final @Nullable Expression head;
    private final @Nullable State rest;
    private final int cost;
    private final State[] next;
    private @Nullable Allowed allowed;

    State(States table, @Nullable Expression head, @Nullable State rest) {
        this.table = table;
        number = table.nextNumber();
        this.head = head;
        this.rest = rest;
        int ofRest = rest == null ? 0 : rest.cost;
        cost = head == null ? 1 : Cost.sum(head.cost(), ofRest);
        next = new State[head == null ? 0 : head instanceof Branch branch ? branch.slots() : 256];
    }

    /** Tokens, with the largest cost of a state that one of them leads to. */
    record Allowed(long[] tokens, int highestCost) {}

    /** Whether the response is complete, so that only the end token may come. */
    boolean complete() {
        return head == null;
    }

    int number() {
        return number;
    }

    /** Tokens that surely suffice to end the response, the end token among them. */
    int cost() {
        return cost;
    }

    @Nullable
    Expression head() {
        return head;
    }

    State rest() {
        if (rest == null) {
            throw new IllegalStateException("nothing follows the end of a response");
        }
        return rest;
    }

    /** The state after a byte, or null if it cannot come. */
    @Nullable
    State step(int b) {
        if (head == null) {
            return null;
        }
        int slot = head instanceof Branch branch ? branch.slot(b) : b;
        if (slot < 0) {
            return afterEnd(head, b);
        }
        State known = next[slot];
        if (known == null) {
            known = compute(head, b);
            next[slot] = known;
        }
        return known == table.dead() ? null : known;
    }

    private State compute(Expression expression, int b) {
        List<Expression> after = expression.step(b);
        State state = after == null ? afterEnd(expression, b) : table.of(after, rest());
        return state == null ? table.dead() : state;
    }

    private @Nullable State afterEnd(Expression expression, int b) {
        List<Expression> after = expression.end();
        return after == null ? null : table.of(after, rest()).step(b);
    }

    @Nullable
    Allowed allowed() {
        return allowed;
    }

    void remember(@Nullable Allowed tokens) {
        allowed = tokens;
    }
}
