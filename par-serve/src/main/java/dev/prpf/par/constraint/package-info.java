/**
 * Constrained decoding: only tokens that keep a response valid may come next (docs/RESPONSE.md, "Constrained decoding").
 *
 * <p>{@link ModelConstraints} is the entry for the response grammar, {@link JsonSchemaConstraints} for JSON Schemas and
 * function calls. Rules ({@code ResponseRules}, {@code ToolRules}, {@code SchemaRules}) turn functions into {@code Expression}s,
 * the nodes of a grammar over bytes. Reading a byte turns an expression into the one expected next. A state ({@code States}) is a
 * stack of expressions. {@code TokenSets} finds the tokens that a state allows in the vocabulary ({@code TokenTrie}).
 *
 * <p>Invariant: a state's cost never exceeds the tokens left, and some allowed token lowers it by one, so every response can end
 * in time. No type of an engine occurs here.
 */
@NullMarked
package dev.prpf.par.constraint;

import org.jspecify.annotations.NullMarked;
