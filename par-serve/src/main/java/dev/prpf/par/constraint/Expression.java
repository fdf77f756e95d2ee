package dev.prpf.par.constraint;

import dev.prpf.par.schema.WorkBudget;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The expected continuation of a text: a node of a grammar. Reading a byte turns it into the next expected one (its derivative), so an expression
 * is also a place inside itself. Deterministic: at most one way to read a byte. None contains text of the model, which would make a state of every
 * text.
 */
interface Expression {
    /** The cost if no token of the vocabulary leads to an end. */
    int NEVER = 1 << 28;

    /**
     * Returns the expressions expected after a byte, in order (empty: this is complete), or null if the byte cannot follow.
     *
     * @param budget counts the work of a step that is not done in constant time
     */
    @Nullable
    List<Expression> step(int b, WorkBudget budget);

    /** Returns the expectation if this ends without another byte, or null if it must not end. */
    default @Nullable List<Expression> end() {
        return null;
    }

    /**
     * Returns a number of tokens that suffices to complete this. Consistent: from every place with a cost above 0 some token leads to a place with a
     * cost lower by one.
     */
    int cost();

    /** Returns the one byte that must come, or -1 for a choice or an unknown one. */
    default int onlyByte() {
        return -1;
    }

    /** Returns the one byte that must come in an object, a closing brace or the next byte of a key; -1 for a choice. */
    static int onlyByte(boolean mayEnd, IntStream ofKeys) {
        int[] next = IntStream.concat(mayEnd ? IntStream.of('}') : IntStream.empty(), ofKeys)
                .distinct()
                .limit(2)
                .toArray();
        return next.length == 1 ? next[0] : -1;
    }

    /** Counts the references that this expression holds, to bound memory. */
    default int weight() {
        return 1;
    }

    static int cost(List<Expression> expressions) {
        return expressions.stream().mapToInt(Expression::cost).reduce(0, Expression::sum);
    }

    /** Returns the sum of two costs, at most {@link #NEVER}. */
    static int sum(int a, int b) {
        return Math.min(NEVER, a + b);
    }
}
