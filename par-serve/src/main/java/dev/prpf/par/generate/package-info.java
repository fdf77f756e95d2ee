/**
 * Writes responses: {@link dev.prpf.par.generate.Generator} plans batches of {@link dev.prpf.par.generate.GenerationRequest}s, computes each
 * prompt once and appends tokens with a key-value cache, each chosen from the decoder's distribution within what a {@link
 * dev.prpf.par.generate.TokenConstraint} allows.
 *
 * <p>Invariant: a response depends on its own prompt, seed, settings and constraint, not on what shares its batch, but for the last bits of
 * the logits.
 */
@NullMarked
package dev.prpf.par.generate;

import org.jspecify.annotations.NullMarked;
