package dev.prpf.par.constraint;

/**
 * The responses of one form that call functions of one pool, as an automaton over bytes; grows as it is walked. Shared by the rows of a
 * batch, one thread at a time.
 *
 * @param start where a response begins
 * @param trie of the vocabulary
 * @param sets of tokens that its states allow
 */
record ResponseAutomaton(State start, TokenTrie trie, TokenSets sets) {}
