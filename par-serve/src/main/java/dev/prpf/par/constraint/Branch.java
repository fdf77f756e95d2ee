package dev.prpf.par.constraint;

import dev.prpf.par.constraint.TokenTrie.ByteTree;
import dev.prpf.par.schema.WorkBudget;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A choice between texts (or one fixed text), as a place in a tree of bytes. Each text has its continuation. */
record Branch(Tree tree, int place) implements Expression {
    /** Returns the choice; options with equal texts are a bug. */
    static Branch of(List<Option> options, TokenTrie trie) {
        return new Branch(new Tree(options, trie), 0);
    }

    static Branch literal(String text, TokenTrie trie, Expression... then) {
        return of(List.of(Option.of(text, then)), trie);
    }

    @Override
    public int onlyByte() {
        int first = place + 1;
        boolean only = tree.then[place] == null && first < tree.ends[place] && tree.ends[first] == tree.ends[place];
        return only ? tree.labels[first] & 0xFF : -1;
    }

    @Override
    public @Nullable List<Expression> step(int b, WorkBudget budget) {
        for (int child = place + 1; child < tree.ends[place]; child = tree.ends[child]) {
            if (tree.labels[child] == (byte) b) {
                Then then = tree.then[child];
                return then != null && tree.ends[child] == child + 1 ? then.get() : List.of(new Branch(tree, child));
            }
        }
        return null;
    }

    @Override
    public @Nullable List<Expression> end() {
        Then then = tree.then[place];
        return then == null ? null : then.get();
    }

    @Override
    public int cost() {
        return tree.costs[place];
    }

    /** The places in preorder, in arrays: a compiled schema has many, and the collector copies each object. */
    static final class Tree {
        private final byte[] labels;
        /** The place after the last descendant of each place. */
        private final int[] ends;

        private final int[] costs;
        private final @Nullable Then[] then;

        private Tree(List<Option> options, TokenTrie trie) {
            SortedMap<byte[], Option> sorted = new TreeMap<>(Arrays::compareUnsigned);
            for (Option option : options) {
                if (sorted.put(option.text().getBytes(StandardCharsets.UTF_8), option) != null) {
                    throw new IllegalArgumentException("two options begin with " + option.text());
                }
            }
            ByteTree tree = new ByteTree(List.copyOf(sorted.keySet()));
            labels = tree.labels;
            ends = tree.ends;
            costs = new int[labels.length];
            then = new Then[labels.length];
            int text = 0;
            for (Option option : sorted.values()) {
                int place = tree.nodes[text++];
                then[place] = option.then();
                costs[place] = option.cost();
            }
            for (int place = labels.length - 1; place >= 0; place--) {
                costs[place] = Math.min(then[place] == null ? NEVER : costs[place], cheapest(place, 0, trie));
            }
        }

        /** Returns the cost after the best token that leads below a place, from a node of the trie on. Descendants have their costs. */
        private int cheapest(int place, int node, TokenTrie trie) {
            int best = NEVER;
            for (int child = place + 1; child < ends[place]; child = ends[child]) {
                int below = trie.child(node, labels[child] & 0xFF);
                if (below >= 0) {
                    int after = trie.isToken(below) ? Expression.sum(1, costs[child]) : NEVER;
                    best = Math.min(best, Math.min(after, cheapest(child, below, trie)));
                }
            }
            return best;
        }
    }

    /** The continuation of a text, evaluated when it is reached, so that grammars may be recursive. */
    interface Then extends Supplier<List<Expression>> {}

    /**
     * One alternative of a {@link Branch}.
     *
     * @param text the first bytes of the alternative, as text
     */
    record Option(String text, int cost, Then then) {
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
