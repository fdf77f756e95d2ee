/**
 * Data sets for the reasoner: supervised examples (PRPF A.3) and prompts for rollouts (A.4). Their sources are labelled samples,
 * function-calling records and existing sets.
 *
 * <p>Flow: samples with perceptions, through {@link dev.prpf.par.sets.SamplePrompts}, become {@link dev.prpf.par.sets.SftExamples} (tokens),
 * {@link dev.prpf.par.sets.SftSet} (text) or {@link dev.prpf.par.sets.PromptExamples}; {@link dev.prpf.par.sets.CallSet} makes sets of
 * function-calling records. {@code Augmentation} rewrites labelled samples before every epoch, so that a small model learns to copy a call's words
 * from its context. This package does not train or run a model.
 *
 * <p>Invariants: a rewritten sample is a function of the training samples, the settings and the epoch. Its target's calls stay valid, and its copied
 * values stay in its context. A silent sample is shown whole or emptied, never in parts. Samples of screens, and samples without copied values, are
 * unchanged.
 */
@NullMarked
package dev.prpf.par.sets;

import org.jspecify.annotations.NullMarked;
