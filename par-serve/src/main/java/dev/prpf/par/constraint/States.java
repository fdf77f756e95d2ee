package dev.prpf.par.constraint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The states of one grammar that were reached so far, each once; remembered sets of tokens are dropped when they become many. */
final class States {
    private static final int MOST_STATES = 1 << 16;
    private static final int MOST_REMEMBERED = 512;

    private int made;
    private final Map<Key, State> states = new HashMap<>();
    private final List<State> remembering = new ArrayList<>();
    private final State end = new State(this, null, null);
    private final State dead = new State(this, null, null);

    private record Key(Expression head, int rest) {}

    /** A number that no other state has. */
    int nextNumber() {
        return made++;
    }

    /** The state in which the response is complete. */
    State end() {
        return end;
    }

    /** Stands for no state where a state must be. */
    State dead() {
        return dead;
    }

    /** These expressions in order, then the rest. */
    State of(List<Expression> expressions, State rest) {
        State state = rest;
        for (int i = expressions.size() - 1; i >= 0; i--) {
            state = of(expressions.get(i), state);
        }
        return state;
    }

    private State of(Expression head, State rest) {
        if (states.size() >= MOST_STATES) {
            states.clear(); // whoever holds a state goes on with it; equal ones are made anew
        }
        return states.computeIfAbsent(new Key(head, rest.number()), k -> new State(this, head, rest));
    }

    void remember(State state, State.@Nullable Allowed allowed) {
        if (remembering.size() >= MOST_REMEMBERED) {
            remembering.forEach(other -> other.remember(null));
            remembering.clear();
        }
        remembering.add(state);
        state.remember(allowed);
    }
}
