package dev.prpf.par.constraint;

import dev.prpf.par.schema.WorkBudget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The states reached so far, each once, for all grammars. When they become many, all are forgotten with their token sets. Their holders keep using
 * them; equal ones are then created again.
 */
final class States {
    static final int MAX_STATES = 1 << 16;

    /** Most words of 64 tokens in all sets together: 32 MB. */
    private static final int MAX_WORDS = 1 << 22;

    /** Most references of all states. */
    private static final long MAX_WEIGHT = 1 << 22;

    private final int mostStates;
    private final int mostWords;
    private WorkBudget budget = new WorkBudget("a grammar", Long.MAX_VALUE);
    private long weight;
    private long made;
    private int era;
    private int words;
    private final Map<Key, State> states = new HashMap<>();
    private final Map<Set<Expression>, ByteKinds> kinds = new HashMap<>();
    private final Map<State, State.Allowed> sets = new HashMap<>();
    private final State end = new State(this, null, null);
    private final State dead = new State(this, null, null);

    States() {
        this(MAX_STATES, MAX_WORDS);
    }

    States(int mostStates, int mostWords) {
        this.mostStates = mostStates;
        this.mostWords = mostWords;
    }

    private record Key(Expression head, long rest) {}

    /** Returns the budget of the current response. */
    WorkBudget budget() {
        return budget;
    }

    /** Charges further work to a response. */
    void charge(WorkBudget response) {
        budget = response;
    }

    long nextNumber() {
        return made++;
    }

    int era() {
        return era;
    }

    /** Returns the number of states kept, at most {@link #MAX_STATES}. */
    int kept() {
        return states.size();
    }

    /** Returns the number of states made, forgotten ones included. */
    long made() {
        return made;
    }

    State end() {
        return end;
    }

    /** Returns the sentinel for "no transition". */
    State dead() {
        return dead;
    }

    /** Returns the state of these expressions in order, then the rest. Without expressions, open objects that end at the rest are closed. */
    State of(List<Expression> expressions, State rest) {
        State state = rest;
        while (expressions.isEmpty() && state.head() == OpenObject.End.MARK) {
            state = state.rest();
        }
        for (int i = expressions.size() - 1; i >= 0; i--) {
            state = of(expressions.get(i), state);
        }
        return state;
    }

    private State of(Expression head, State rest) {
        if (states.size() >= mostStates || weight > MAX_WEIGHT) {
            states.values().forEach(State::forget);
            states.clear();
            kinds.clear();
            weight = 0;
            forgetSets();
            era++;
        }
        return states.computeIfAbsent(new Key(head, rest.number()), k -> {
            budget.spend(1);
            weight += head.weight();
            return new State(this, head, rest);
        });
    }

    /** Returns the kinds of bytes that these expressions distinguish. */
    ByteKinds kinds(Set<Expression> heads) {
        return kinds.computeIfAbsent(heads, k -> {
            budget.spend((long) heads.size() * ByteKinds.BYTES / 8);
            ByteKinds made = ByteKinds.of(heads, budget);
            weight += ByteKinds.BYTES;
            return made;
        });
    }

    /** Returns the cached tokens that a state allows, or null. */
    State.@Nullable Allowed allowed(State state) {
        return sets.get(state);
    }

    void remember(State state, State.Allowed allowed) {
        if (words + allowed.tokens().length > mostWords) {
            forgetSets();
        }
        words += allowed.tokens().length;
        sets.put(state, allowed);
    }

    private void forgetSets() {
        sets.clear();
        words = 0;
    }
}
