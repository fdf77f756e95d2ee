package dev.prpf.par.constraint;

import java.util.List;
import java.util.Set;

/**
 * The responses of one form that call functions of one pool, as an automaton over bytes; grows as it is walked. Shared by the rows of a
 * batch, one thread at a time.
 */
final class ResponseAutomaton {
    private final TokenTrie trie;
    private final State start;
    private final TokenSets sets;

    ResponseAutomaton(Branch response, TokenTrie trie, Set<Integer> endTokens) {
        this.trie = trie;
        States states = new States();
        start = states.of(List.of(response), states.end());
        sets = new TokenSets(trie, states, endTokens);
    }

    TokenTrie trie() {
        return trie;
    }

    State start() {
        return start;
    }

    TokenSets sets() {
        return sets;
    }
}
