package dev.prpf.par.constraint;

import dev.prpf.par.constraint.ResponseConstraint.WrittenKeys;
import dev.prpf.par.constraint.States.State;
import dev.prpf.par.schema.WorkBudget;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tokens that a state allows. A state in free text takes the {@link TextMachine}'s tokens and walks only the tokens that end the text.
 * Other states walk the whole tree, but can follow little of it. No token contains a whole key of an open object, because its validity depends on the
 * response ({@link WrittenKeys}). Such a key can be written in parts.
 */
final class TokenSets {
    private final TokenTrie trie;
    private final States states;
    private final long[] ends;
    private final long[] textless;

    TokenSets(TokenTrie trie, States states, Set<Integer> endTokens) {
        this.trie = trie;
        this.states = states;
        ends = trie.noTokens();
        endTokens.forEach(id -> ends[id >> 6] |= 1L << id);
        textless = trie.textless();
    }

    TokenTrie trie() {
        return trie;
    }

    void charge(WorkBudget response) {
        states.charge(response);
    }

    long made() {
        return states.made();
    }

    /** Returns the tokens after which the response can be completed, without a limit on its length. */
    State.Allowed of(State at) {
        State state = at.head() instanceof Alternatives.Times times
                ? states.of(List.of(times.alike(trie.height())), at.rest())
                : at;
        State.Allowed known = states.allowed(state);
        if (known == null) {
            known = state.head() instanceof Text text ? inText(state, text, Expression.NEVER) : anywhere(state);
            states.remember(state, known);
        }
        return known;
    }

    /** Returns the tokens after which the response can be completed within a cost; in free text, all that stay within it. */
    long[] within(State state, int cost) {
        State.Allowed all = of(state);
        if (all.highestCost() <= cost) {
            return all.tokens();
        }
        return state.head() instanceof Text text
                ? inText(state, text, cost).tokens()
                : where(state, next -> next.cost() <= cost);
    }

    /** Returns the tokens of {@link #within} for an open text, and every token that writes nothing. */
    long[] open(State state, int cost) {
        long[] bits = within(state, cost).clone();
        for (int i = 0; i < bits.length; i++) {
            bits[i] |= textless[i];
        }
        return bits;
    }

    long[] where(State state, Predicate<State> property) {
        if (state.complete()) {
            return ends;
        }
        long[] bits = state.mayEnd() ? ends.clone() : trie.noTokens();
        walk(state, 0, (next, node) -> {
            if (property.test(next)) {
                trie.mark(node, bits);
            }
        });
        return bits;
    }

    private State.Allowed anywhere(State state) {
        int[] highest = {0};
        long[] bits = where(state, next -> {
            highest[0] = Math.max(highest[0], next.cost());
            return next.cost() < Expression.NEVER;
        });
        return new State.Allowed(bits, highest[0]);
    }

    private State.Allowed inText(State state, Text text, int cost) {
        TextMachine.Inside inside = text.site().machine().inside(text.state());
        long[] bits = inside.tokens().clone();
        int[] highest = {0};
        for (TextMachine.Exit exit : inside.exits()) {
            int node = exit.node();
            State after = states.of(text.site().after(TextMachine.exit(exit.code())), state.rest());
            ObjIntConsumer<State> visitor = (next, at) -> {
                if (next.cost() <= cost) {
                    trie.mark(at, bits);
                }
                highest[0] = Math.max(highest[0], next.cost());
            };
            if (trie.isToken(node)) {
                visitor.accept(after, node);
            }
            walk(after, node, visitor);
        }
        return new State.Allowed(bits, highest[0]);
    }

    /** Visits the tokens below a node with a given state, each with the state that it leads to. */
    private void walk(State start, int root, ObjIntConsumer<State> visitor) {
        if (trie.end(root) == root + 1) {
            return;
        }
        int base = trie.depth(root);
        @Nullable State[] path = new State[trie.height() - base + 1];
        boolean[] beganKey = new boolean[path.length];
        path[0] = start;
        int node = root + 1;
        while (node < trie.end(root)) {
            int depth = trie.depth(node) - base;
            State from = Objects.requireNonNull(path[depth - 1]);
            State next = from.step(trie.label(node));
            if (next == null || (beganKey[depth - 1] && !next.inKey())) {
                node = trie.end(node);
            } else {
                path[depth] = next;
                beganKey[depth] = next.inKey() && (beganKey[depth - 1] || !from.inKey());
                if (trie.isToken(node)) {
                    visitor.accept(next, node);
                }
                node++;
            }
        }
    }
}
