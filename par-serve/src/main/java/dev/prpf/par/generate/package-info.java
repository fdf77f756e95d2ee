/**
 * The generation of responses. A {@link dev.prpf.par.generate.Scheduler} adds and removes {@link dev.prpf.par.generate.Sequence}s between forward
 * passes. Each token is chosen from the decoder's distribution under a {@link dev.prpf.par.generate.TokenConstraint}. {@link
 * dev.prpf.par.generate.Generator} runs a scheduler until all of its {@link dev.prpf.par.generate.GenerationRequest}s have ended.
 *
 * <p>Invariant: a response depends on its own prompt, seed, settings and constraint. The rest of the batch changes only the last bits of the
 * logits.
 */
@NullMarked
package dev.prpf.par.generate;

import org.jspecify.annotations.NullMarked;
