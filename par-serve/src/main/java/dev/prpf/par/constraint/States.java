package dev.prpf.par.constraint;

import dev.prpf.par.constraint.ResponseConstraint.WrittenKeys;
import dev.prpf.par.schema.WorkBudget;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the states of all grammars that responses have reached so far, each state once. When they become many, all are forgotten with their token
 * sets. Their holders keep using them; equal ones are then created again.
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

    /**
     * The state of a response: an expression, and the state after it. It lacks only the keys of open objects ({@link WrittenKeys}). Equal states are one
     * object of their {@link States}. A state caches its transitions until {@link States} forgets it.
     */
    static final class State {
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
            } else if (head instanceof Alternatives || head instanceof Alternatives.Times) {
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

    private record Key(Expression head, long rest) {}

    WorkBudget budget() {
        return budget;
    }

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

    /** Groups the bytes that some expressions treat alike, so that a state makes one step for all bytes of a group. */
    record ByteKinds(int[] ofByte, int count) {
        static final int BYTES = 256;

        /** @param budget counts the steps */
        static ByteKinds of(Set<Expression> heads, WorkBudget budget) {
            Map<List<Optional<List<Expression>>>, Integer> known = new HashMap<>();
            int[] kinds = new int[BYTES];
            for (int b = 0; b < BYTES; b++) {
                int read = b;
                List<Optional<List<Expression>>> steps = heads.stream()
                        .map(head -> Optional.ofNullable(head.step(read, budget)))
                        .toList();
                kinds[b] = known.computeIfAbsent(steps, k -> known.size());
            }
            return new ByteKinds(kinds, known.size());
        }

        int of(int b) {
            return ofByte[b];
        }
    }
}
