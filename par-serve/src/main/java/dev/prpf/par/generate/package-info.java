/**
 * Writes responses: a {@link dev.prpf.par.generate.Scheduler} lets {@link dev.prpf.par.generate.Sequence}s join and leave between forward
 * passes; each token is chosen from the decoder's distribution within what a {@link dev.prpf.par.generate.TokenConstraint} allows. {@link
 * dev.prpf.par.generate.Generator} runs one until all of some {@link dev.prpf.par.generate.GenerationRequest}s are through.
 *
 * <p>Invariant: a response depends on its own prompt, seed, settings and constraint, not on what shares its batch, but for the last bits of
 * the logits.
 */
@NullMarked
package dev.prpf.par.generate;

import org.jspecify.annotations.NullMarked;
