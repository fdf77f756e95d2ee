/**
 * The reasoner's response (docs/RESPONSE.md). {@link ResponseParser} turns its text into a {@link ParResponse}, parsed or
 * malformed; {@link ResponseWriter} is the inverse. {@link ResponseGrammar} has the tags, {@link ResponseForm.ReasoningMode} and {@link
 * ResponseForm} choose the blocks. {@link ResponseSchema} is the same content as JSON, for servers that only support schemas.
 */
@NullMarked
package dev.prpf.par.response;

import org.jspecify.annotations.NullMarked;
