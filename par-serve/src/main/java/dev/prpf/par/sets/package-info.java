/**
 * Data sets for the reasoner: supervised examples (PRPF A.3) and prompts for rollouts (A.4). Their sources are labelled samples,
 * function-calling records and existing sets.
 *
 * <p>Flow: samples with perceptions, through {@link dev.prpf.par.sets.SamplePrompts}, become {@link dev.prpf.par.sets.SftExamples} (tokens),
 * {@link dev.prpf.par.sets.SftSet} (text) or {@link dev.prpf.par.sets.PromptExamples}; {@link dev.prpf.par.sets.CallSet} makes sets of
 * function-calling records. This package does not train or run a model.
 */
@NullMarked
package dev.prpf.par.sets;

import org.jspecify.annotations.NullMarked;
