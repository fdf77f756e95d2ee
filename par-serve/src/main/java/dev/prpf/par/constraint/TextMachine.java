package dev.prpf.par.constraint;

import dev.prpf.par.constraint.TextRules.Place;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A finite automaton that accepts one kind of free text, with state 0 at its start. Each state caches the tokens that stay within the text. One per
 * kind and tokenizer: it does not depend on the surrounding text, so all prompts share it.
 */
final class TextMachine {
    static final int REJECTED = -1;

    private static final int BYTES = 256;

    private final TokenTrie trie;
    private final List<Place> places = new ArrayList<>();
    private final Map<Place, Integer> numbers = new HashMap<>();
    private final List<int[]> transitions = new ArrayList<>();
    private final int[] kinds = new int[BYTES];
    private final int kindCount;
    private final int[][] costs;
    private final Map<Integer, Inside> insides = new HashMap<>();

    TextMachine(TextRules rules, TokenTrie trie) {
        this.trie = trie;
        number(Place.inside(true, ""));
        for (int s = 0; s < places.size(); s++) {
            int[] row = new int[BYTES];
            for (int b = 0; b < BYTES; b++) {
                Place next = rules.next(places.get(s), b);
                row[b] = next == null ? REJECTED : next.exit() >= 0 ? exitCode(next.exit()) : number(next);
            }
            transitions.add(row);
        }
        kindCount = findKinds();
        List<String> endings = rules.endings();
        costs = new int[endings.size()][];
        Arrays.setAll(costs, exit -> costs(exit, endings.get(exit)));
    }

    private int number(Place place) {
        return numbers.computeIfAbsent(place, added -> {
            places.add(added);
            return places.size() - 1;
        });
    }

    /** Finds the kinds of bytes: bytes of one kind lead to the same state from each state. */
    private int findKinds() {
        Map<List<Integer>, Integer> known = new HashMap<>();
        for (int b = 0; b < BYTES; b++) {
            int column = b;
            List<Integer> leads = transitions.stream().map(row -> row[column]).toList();
            kinds[b] = known.computeIfAbsent(leads, k -> known.size());
        }
        return known.size();
    }

    int kind(int b) {
        return kinds[b];
    }

    int kinds() {
        return kindCount;
    }

    private static int exitCode(int exit) {
        return REJECTED - 1 - exit;
    }

    /** Returns the exit of a code below {@link #REJECTED}. */
    static int exit(int code) {
        return REJECTED - 1 - code;
    }

    /** Returns the state after a byte, {@link #REJECTED}, or the code of an exit. */
    int next(int state, int b) {
        return transitions.get(state)[b];
    }

    /** Returns a number of tokens that suffices to leave through an exit. */
    int cost(int state, int exit) {
        return costs[exit][state];
    }

    int states() {
        return places.size();
    }

    /** Returns the largest cost to leave, over all states and the exits that each can reach. */
    int highestCost() {
        return Arrays.stream(costs)
                .flatMapToInt(Arrays::stream)
                .filter(cost -> cost < Expression.NEVER)
                .max()
                .orElse(0);
    }

    /** Computes shortest paths backwards from an exit, over single bytes and over the tokens of its ending. */
    private int[] costs(int exit, String ending) {
        int[] cost = new int[places.size()];
        Arrays.fill(cost, Expression.NEVER);
        byte[] bytes = ending.getBytes(StandardCharsets.UTF_8);
        boolean better = true;
        while (better) {
            better = false;
            for (int s = 0; s < cost.length; s++) {
                int best = Math.min(overBytes(s, exit, cost), overEnding(s, exit, bytes, cost));
                better |= best < cost[s];
                cost[s] = Math.min(best, cost[s]);
            }
        }
        return cost;
    }

    private int overBytes(int state, int exit, int[] cost) {
        int best = Expression.NEVER;
        for (int b = 0; b < BYTES; b++) {
            int node = trie.child(0, b);
            if (node >= 0 && trie.isToken(node)) {
                best = Math.min(best, arrival(next(state, b), exit, cost));
            }
        }
        return best;
    }

    private int overEnding(int state, int exit, byte[] ending, int[] cost) {
        int best = Expression.NEVER;
        for (int from = 0; from < ending.length; from++) {
            int at = state;
            int node = 0;
            for (int i = from; i < ending.length && at >= 0 && node >= 0; i++) {
                at = next(at, ending[i]);
                node = trie.child(node, ending[i]);
                if (node >= 0 && trie.isToken(node)) {
                    best = Math.min(best, arrival(at, exit, cost));
                }
            }
        }
        return best;
    }

    /** Returns the cost of one token and its continuation. */
    private static int arrival(int code, int exit, int[] cost) {
        if (code >= 0) {
            return Expression.sum(1, cost[code]);
        }
        return code == exitCode(exit) ? 1 : Expression.NEVER;
    }

    /**
     * The tokens that a state allows.
     *
     * @param tokens that end within the text
     * @param exits nodes of the trie at which the text ends, with their codes; the allowed next tokens depend on the text's place
     */
    record Inside(long[] tokens, List<Exit> exits) {}

    record Exit(int node, int code) {}

    /** Returns the tokens of a state, computed once by a walk over the vocabulary. */
    Inside inside(int state) {
        return insides.computeIfAbsent(state, this::walk);
    }

    private Inside walk(int start) {
        long[] bits = trie.noTokens();
        List<Exit> exits = new ArrayList<>();
        int[] states = new int[trie.height() + 1];
        states[0] = start;
        int node = 1;
        while (node < trie.size()) {
            int depth = trie.depth(node);
            int code = next(states[depth - 1], trie.label(node));
            if (code < 0) {
                if (code != REJECTED) {
                    exits.add(new Exit(node, code));
                }
                node = trie.end(node);
            } else {
                states[depth] = code;
                trie.mark(node, bits);
                node++;
            }
        }
        return new Inside(bits, exits);
    }
}
