/**
 * Training of the reasoner: the loop, the optimizer, batches, their memory, and supervised fine-tuning (PRPF §3.5, eq. 13). GRPO is in {@code
 * training.grpo} and uses the same parts.
 *
 * <p>Invariants: weights are float32 masters for any precision of the computation. The order of the examples is a function of the seed and the epoch.
 * The loss is divided by the supervised tokens of the whole optimizer step, so that accumulation does not change it. A kill at any point only delays
 * a run.
 */
@NullMarked
package dev.prpf.par.training;

import org.jspecify.annotations.NullMarked;
