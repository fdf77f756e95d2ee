/**
 * Training of the reasoner. {@link Training} is the common loop of optimizer steps, checkpoints and early exit; {@link
 * SftTraining} is supervised fine-tuning (PRPF §3.5, eq. 13), and {@code training.grpo} has GRPO. A {@link TrainableDecoder}
 * holds the trained weights, {@link DecoderPass} runs batches forward and back, {@link FusedAdamW} is the optimizer. {@link
 * TrainingMemory} estimates the memory, and {@link TrainingFiles} has the models before and after.
 *
 * <p>Invariants: weights are float32 masters for any precision of the computation. The order of the examples is a function of the
 * seed and the epoch. The loss is divided by the supervised tokens of the whole optimizer step, so that accumulation does not
 * change it. A kill at any point only delays a run.
 */
@NullMarked
package dev.prpf.par.training;

import org.jspecify.annotations.NullMarked;
