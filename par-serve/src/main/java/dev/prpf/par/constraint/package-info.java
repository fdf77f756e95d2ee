/**
 * Constrained decoding: the response grammar and a candidate pool as an automaton over bytes, and the tokens of a vocabulary that it allows next.
 * {@link dev.prpf.par.constraint.ResponseConstraints} is the entry. {@code ResponseRules} turns pool and form into {@code Expression}s. Their
 * derivatives give {@code State}s (an expression and the state after it: a stack). {@code TokenSets} turns a state and the {@code TokenTrie} into a
 * set of tokens. Invariant: a state's cost never exceeds the tokens left, and some allowed token lowers it by one. No type of an engine occurs here
 * (docs/RESPONSE.md, "Constrained decoding").
 */
@NullMarked
package dev.prpf.par.constraint;

import org.jspecify.annotations.NullMarked;
