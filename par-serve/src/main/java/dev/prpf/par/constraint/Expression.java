package dev.prpf.par.constraint;

import dev.prpf.par.schema.WorkBudget;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is expected next. Reading a byte turns it into what is expected then (its derivative), so an expression is also a place inside
 * itself. Deterministic: at most one way to read a byte. None holds text that the model wrote: that would make a state of every text.
 */
sealed interface Expression
        permits Branch,
                Text,
                Fields.Place,
                OpenObject.End,
                Alternatives,
                Characters,
                Characters.Partial,
                Characters.Times,
                Containers.Place,
                Containers.Index {
    /** The cost where no token of the vocabulary leads on. */
    int NEVER = 1 << 28;

    /**
     * Returns the expressions expected after a byte, in order (empty: this is complete), or null if the byte cannot follow.
     *
     * @param budget counts the work of a step that is not done in constant time
     */
    @Nullable
    List<Expression> step(int b, WorkBudget budget);

    /** What is expected if this ends without another byte, or null if it must not. */
    default @Nullable List<Expression> end() {
        return null;
    }

    /**
     * Tokens that surely suffice to complete this. Consistent: from every place with a cost above 0 some token leads to one whose cost is
     * less by one.
     */
    int cost();

    /** The one byte that must come, or -1 if there is a choice or none is known. */
    default int onlyByte() {
        return -1;
    }

    /** Counts the references that this expression holds, to bound memory. */
    default int weight() {
        return 1;
    }

    /** Cost of several, one after the other. */
    static int cost(List<Expression> expressions) {
        return expressions.stream().mapToInt(Expression::cost).reduce(0, Expression::sum);
    }

    /** The sum of two costs, which stays {@link #NEVER}. */
    static int sum(int a, int b) {
        return Math.min(NEVER, a + b);
    }
}
