package dev.prpf.par.constraint;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A choice between texts (of one: a fixed text), as a tree of bytes; each text has what follows it. */
final class Branch implements Expression {
    private final List<Branch> children = new ArrayList<>();
    private final List<Integer> keys = new ArrayList<>();
    private @Nullable Option ended;
    private int cost;

    private Branch() {}

    /** The choice; options with equal texts are a bug. */
    static Branch of(List<Option> options, TokenTrie trie) {
        Branch root = new Branch();
        for (Option option : options) {
            Branch at = root;
            for (byte b : option.text().getBytes(StandardCharsets.UTF_8)) {
                at = at.childOrNew(b & 0xFF);
            }
            if (at.ended != null) {
                throw new IllegalArgumentException("two options begin with " + option.text());
            }
            at.ended = option;
        }
        root.price(trie);
        return root;
    }

    /** A fixed text and what follows it. */
    static Branch literal(String text, TokenTrie trie, Expression... then) {
        return of(List.of(Option.of(text, then)), trie);
    }

    private Branch childOrNew(int b) {
        Branch child = child(b);
        if (child == null) {
            child = new Branch();
            keys.add(b);
            children.add(child);
        }
        return child;
    }

    private @Nullable Branch child(int b) {
        int at = slot(b);
        return at < 0 ? null : children.get(at);
    }

    private void price(TokenTrie trie) {
        children.forEach(child -> child.price(trie));
        cost = Math.min(ended == null ? Cost.NEVER : ended.cost(), cheapest(trie, 0));
    }

    /** The cheapest place that one token leads to, the token included; the trie's node stands where this place stands. */
    private int cheapest(TokenTrie trie, int node) {
        int best = Cost.NEVER;
        for (int i = 0; i < children.size(); i++) {
            int below = trie.child(node, keys.get(i));
            if (below >= 0) {
                Branch child = children.get(i);
                if (trie.isToken(below)) {
                    best = Math.min(best, Cost.sum(1, child.cost));
                }
                best = Math.min(best, child.cheapest(trie, below));
            }
        }
        return best;
    }

    /** Place of a byte among those that may come, or -1. */
    int slot(int b) {
        return keys.indexOf(b);
    }

    int slots() {
        return keys.size();
    }

    /** The one byte that must come, or -1 if there is a choice. */
    int onlyByte() {
        return ended == null && keys.size() == 1 ? keys.get(0) : -1;
    }

    @Override
    public @Nullable List<Expression> step(int b) {
        Branch child = child(b);
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
}
