package dev.prpf.par.constraint;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A choice between texts (of one: a fixed text), as a tree of bytes; each text has what follows it. */
final class Branch implements Expression {
    private static final byte[] NO_LABELS = {};
    private static final Branch[] NO_CHILDREN = {};

    private byte[] labels = NO_LABELS;
    private Branch[] children = NO_CHILDREN;
    private @Nullable Option ended;
    private int cost;

    private Branch() {}

    /** A place in a branch and a node of the trie that stands there. */
    private record Reached(Branch place, int node) {}

    /** The choice; options with equal texts are a bug. */
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
            places.get(i).price(trie); // after all that lies below
        }
        return root;
    }

    /** A fixed text and what follows it. */
    static Branch literal(String text, TokenTrie trie, Expression... then) {
        return of(List.of(Option.of(text, then)), trie);
    }

    private Branch childOrNew(byte b, List<Branch> places) {
        Branch child = child(b);
        if (child == null) {
            child = new Branch();
            places.add(child);
            labels = Arrays.copyOf(labels, labels.length + 1);
            children = Arrays.copyOf(children, labels.length);
            labels[labels.length - 1] = b;
            children[labels.length - 1] = child;
        }
        return child;
    }

    private @Nullable Branch child(int b) {
        for (int i = 0; i < labels.length; i++) {
            if (labels[i] == (byte) b) {
                return children[i];
            }
        }
        return null;
    }

    private void price(TokenTrie trie) {
        cost = ended == null ? Cost.NEVER : ended.cost();
        Deque<Reached> open = new ArrayDeque<>();
        open.add(new Reached(this, 0));
        while (!open.isEmpty()) {
            Reached reached = open.remove();
            Branch place = reached.place();
            for (int i = 0; i < place.labels.length; i++) {
                int below = trie.child(reached.node(), place.labels[i] & 0xFF);
                if (below >= 0) {
                    open.add(new Reached(place.children[i], below));
                    cost = trie.isToken(below) ? Math.min(cost, Cost.sum(1, place.children[i].cost)) : cost;
                }
            }
        }
    }

    @Override
    public int onlyByte() {
        return ended == null && labels.length == 1 ? labels[0] & 0xFF : -1;
    }

    @Override
    public @Nullable List<Expression> step(int b) {
        Branch child = child(b);
        if (child == null) {
            return null;
        }
        return child.ended != null && child.labels.length == 0
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
