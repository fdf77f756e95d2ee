/**
 * Makes labelled records with language models (ProactiveMobile, section 3.2). A {@link dev.prpf.par.pipeline.ModelStep} is one kind of question: a
 * prompt file, a record for the answer, a rule. {@link dev.prpf.par.pipeline.Pipeline} asks the questions of a step, within a budget, and
 * counts. {@link dev.prpf.par.pipeline.Drafting} chains the steps: seed, situation, context, intents, calls, noise. {@link
 * dev.prpf.par.pipeline.Selection} removes near-duplicates, balances scenarios and splits. Every answer is journaled before it is used, so a
 * run that was killed resumes without asking twice.
 */
@NullMarked
package dev.prpf.par.pipeline;

import org.jspecify.annotations.NullMarked;
