/**
 * Training the reasoner: supervised fine-tuning (PRPF §3.5, eq. 13) as a loop that a kill at any point only delays.
 *
 * <p>Invariants: weights are float32 masters whatever the precision of the computation; the order of the examples is a function of the seed
 * and the epoch; the loss is divided by the supervised tokens of the whole optimizer step, so that accumulating does not change it.
 */
@NullMarked
package dev.prpf.par.training;

import org.jspecify.annotations.NullMarked;
