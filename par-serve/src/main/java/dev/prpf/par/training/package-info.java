/**
 * Training of the reasoner. {@link Training} is the common loop of optimizer steps, checkpoints and early exit; {@link
 * SftTraining} is supervised fine-tuning (PRPF §3.5, eq. 13). {@link GrpoTraining} is GRPO (§3.6, eq. 14): {@link
 * GrpoTraining.PolicyRollouts} are sampled from the current policy, {@link GrpoStep} computes their advantages, and {@code
 * PolicyGradient} the gradient against a frozen {@code ReferencePolicy}. A {@link TrainableDecoder} holds the trained
 * weights, or {@code LoraAdapters} (arXiv:2106.09685) next to frozen ones. {@link DecoderPass} runs batches forward and
 * backward, and {@link FusedAdamW} is the optimizer. {@link
 * TrainingMemory} estimates the memory, and {@link TrainingFiles} has the models before and after.
 *
 * <p>Invariants: weights are float32 masters for any precision of the computation. The order of the examples is a function of the
 * seed and the epoch. The loss is divided by the supervised tokens of the whole optimizer step, so that accumulation does not
 * change it. A kill at any point only delays a run.
 */
@NullMarked
package dev.prpf.par.training;

import org.jspecify.annotations.NullMarked;
