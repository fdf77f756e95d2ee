/**
 * Data sets for the reasoner: supervised examples (PRPF A.3) and prompts to roll out (A.4), made of labelled samples, of function-calling
 * records or of the records of a set that was written before.
 *
 * <p>Flow: samples with perceptions, through {@link dev.prpf.par.sets.SamplePrompts}, become {@link dev.prpf.par.sets.SftExamples} (tokens),
 * {@link dev.prpf.par.sets.SftSet} (text) or {@link dev.prpf.par.sets.PromptExamples}; {@link dev.prpf.par.sets.CallSet} makes sets of
 * function-calling records. Nothing here trains or runs a model.
 */
@NullMarked
package dev.prpf.par.sets;

import org.jspecify.annotations.NullMarked;
