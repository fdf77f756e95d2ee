package dev.prpf.par.constraint;

import dev.prpf.par.schema.WorkBudget;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A choice between texts (or one fixed text), as a tree of bytes. Each text has its continuation. */
final class Branch implements Expression {
    private final Map<Byte, Branch> children = new TreeMap<>();
    private @Nullable Option ended;
    private int cost;

    private Branch() {}

    /** A place in a branch, and the trie's node for it. */
    private record Reached(Branch place, int node) {}

    /** Returns the choice; options with equal texts are a bug. */
    static Branch of(List<Option> options, TokenTrie trie) {
        Branch root = new Branch();
        List<Branch> places = new ArrayList<>();
        places.add(root);
        for (Option option : options) {
            Branch at = root;
            for (byte b : option.text().getBytes(StandardCharsets.UTF_8)) {
                at = at.childOrNew(b, places);
            }
            if (at.ended != null) {
                throw new IllegalArgumentException("two options begin with " + option.text());
            }
            at.ended = option;
        }
        for (int i = places.size() - 1; i >= 0; i--) {
            places.get(i).price(trie); // after all descendants
        }
        return root;
    }

    static Branch literal(String text, TokenTrie trie, Expression... then) {
        return of(List.of(Option.of(text, then)), trie);
    }

    private Branch childOrNew(byte b, List<Branch> places) {
        return children.computeIfAbsent(b, label -> {
            Branch child = new Branch();
            places.add(child);
            return child;
        });
    }

    private void price(TokenTrie trie) {
        cost = ended == null ? Expression.NEVER : ended.cost();
        Deque<Reached> open = new ArrayDeque<>();
        open.add(new Reached(this, 0));
        while (!open.isEmpty()) {
            Reached reached = open.remove();
            reached.place().children.forEach((label, child) -> {
                int below = trie.child(reached.node(), label & 0xFF);
                if (below >= 0) {
                    open.add(new Reached(child, below));
                    cost = trie.isToken(below) ? Math.min(cost, Expression.sum(1, child.cost)) : cost;
                }
            });
        }
    }

    @Override
    public int onlyByte() {
        return ended == null && children.size() == 1
                ? children.keySet().iterator().next() & 0xFF
                : -1;
    }

    @Override
    public @Nullable List<Expression> step(int b, WorkBudget budget) {
        Branch child = children.get((byte) b);
        if (child == null) {
            return null;
        }
        return child.ended != null && child.children.isEmpty()
                ? child.ended.then().get()
                : List.of(child);
    }

    @Override
    public @Nullable List<Expression> end() {
        return ended == null ? null : ended.then().get();
    }

    @Override
    public int cost() {
        return cost;
    }

    /**
     * One alternative of a {@link Branch}.
     *
     * @param text the first bytes of the alternative, as text
     * @param cost of the continuation
     * @param then the continuation, evaluated when it is reached, so that grammars may be recursive
     */
    record Option(String text, int cost, Supplier<List<Expression>> then) {
        /** Returns a text that completes its branch. */
        static Option end(String text) {
            return new Option(text, 0, List::of);
        }

        static Option of(String text, Expression... then) {
            List<Expression> list = List.of(then);
            return new Option(text, Expression.cost(list), () -> list);
        }
    }
}
