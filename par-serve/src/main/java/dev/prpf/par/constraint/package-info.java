/**
 * Constrained decoding: the response grammar and a candidate pool as an automaton over bytes, and which tokens of a vocabulary it lets come
 * next. {@link dev.prpf.par.constraint.ResponseConstraints} is the entry. Flow: pool and form, by {@code ResponseRules}, to {@code Expression}s;
 * these, by their derivatives, to {@code State}s (an expression and the state after it: a stack); a state and the {@code TokenTrie}, by {@code
 * TokenSets}, to a set of tokens. Invariant: a state's cost never exceeds the tokens left, and some allowed token lowers it by one. No type of
 * an engine occurs here (docs/RESPONSE.md, "Constrained decoding").
 */
@NullMarked
package dev.prpf.par.constraint;

import org.jspecify.annotations.NullMarked;
