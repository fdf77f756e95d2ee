package dev.prpf.par.constraint;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a response: an expression, and the state after it. It lacks only the keys of open objects ({@link WrittenKeys}). Equal states are one
 * object of their {@link States}. A state caches its transitions until {@link States} forgets it.
 */
final class State {
    private static final State[] NOWHERE = {};
    private static final byte[] NO_LABELS = {};

    private final States table;
    private final long number;
    private final @Nullable Expression head;
    private final @Nullable State rest;
    private final int cost;
    private final int openObjects;
    private State[] next = NOWHERE;
    private byte[] labels = NO_LABELS;
    private @Nullable ByteKinds kinds;
    private int era;

    State(States table, @Nullable Expression head, @Nullable State rest) {
        this.table = table;
        number = table.nextNumber();
        this.head = head;
        this.rest = rest;
        int ofRest = rest == null ? 0 : rest.cost;
        cost = head == null ? 1 : Expression.sum(head.cost(), ofRest);
        openObjects = (rest == null ? 0 : rest.openObjects) + (head == OpenObject.End.MARK ? 1 : 0);
    }

    /** Tokens, with the largest cost of their target states. */
    record Allowed(long[] tokens, int highestCost) {}

    /** Returns whether the response is complete, so that only the end token may come. */
    boolean complete() {
        return head == null;
    }

    /** Returns whether the response may end here, complete. */
    boolean mayEnd() {
        List<Expression> ended = head == null ? List.of() : head.end();
        return ended != null && (head == null || table.of(ended, rest()).mayEnd());
    }

    long number() {
        return number;
    }

    /** Returns a number of tokens that suffices to end the response, with the end token. */
    int cost() {
        return cost;
    }

    int openObjects() {
        return openObjects;
    }

    /** Returns whether this state is within a key of an open object. */
    boolean inKey() {
        return head instanceof Text text && text.site().isKey();
    }

    /** Returns whether this state and another are within the same text, not in two adjacent ones. */
    boolean sharesTextWith(State other) {
        return head instanceof Text text
                && other.head instanceof Text of
                && text.site() == of.site()
                && rest == other.rest;
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

    /** Returns the state after a byte, or null if the byte cannot come. */
    @Nullable
    State step(int b) {
        if (head == null) {
            return null;
        }
        if (era != table.era()) {
            forget(); // else surviving states would keep forgotten ones alive, one more step each time
            era = table.era();
        }
        if (head instanceof Text text) {
            TextMachine machine = text.site().machine();
            return stepByKind(text, b, machine.kind(b), machine.kinds());
        } else if (head instanceof Alternatives || head instanceof Characters.Times) {
            kinds = kinds == null ? table.kinds(Alternatives.heads(head, table.budget())) : kinds;
            return stepByKind(head, b, kinds.of(b), kinds.count());
        }
        return stepElsewhere(head, b);
    }

    private @Nullable State stepByKind(Expression expression, int b, int kind, int count) {
        State known = next.length == 0 ? null : next[kind];
        if (known == null) {
            List<Expression> after = expression.step(b, table.budget());
            known = after == null ? table.dead() : table.of(after, rest()); // this may be forgotten meanwhile
            if (next.length == 0) {
                next = new State[count];
            }
            next[kind] = known;
        }
        return known == table.dead() ? stepInRest(expression, b) : known;
    }

    private @Nullable State stepInRest(Expression expression, int b) {
        List<Expression> ended = expression.end();
        return ended == null ? null : table.of(ended, rest()).step(b);
    }

    private @Nullable State stepElsewhere(Expression expression, int b) {
        for (int i = 0; i < labels.length; i++) {
            if (labels[i] == (byte) b) {
                return next[i];
            }
        }
        List<Expression> after = expression.step(b, table.budget());
        if (after == null) {
            return stepInRest(expression, b);
        }
        State state = table.of(after, rest());
        labels = Arrays.copyOf(labels, labels.length + 1);
        next = Arrays.copyOf(next, labels.length);
        labels[labels.length - 1] = (byte) b;
        next[labels.length - 1] = state;
        return state;
    }

    /** Drops the transitions; their states then live only as long as others hold them. */
    void forget() {
        next = NOWHERE;
        labels = NO_LABELS;
        kinds = null;
    }
}
