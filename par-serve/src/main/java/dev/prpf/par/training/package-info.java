/**
 * Training the reasoner: the loop, the optimizer, batches, the memory they need, and supervised fine-tuning (PRPF §3.5, eq. 13). GRPO stands
 * in {@code training.grpo} and uses the same parts.
 *
 * <p>Invariants: weights are float32 masters whatever the precision of the computation; the order of the examples is a function of the seed
 * and the epoch; the loss is divided by the supervised tokens of the whole optimizer step, so that accumulating does not change it; a kill
 * at any point only delays a run.
 */
@NullMarked
package dev.prpf.par.training;

import org.jspecify.annotations.NullMarked;
