/**
 * Sets for other trainers: the prompts and responses that {@code par sft} trains on, as LLaMA-Factory, TRL, verl, OpenRLHF, slime and
 * ms-swift read them.
 *
 * <p>Flow: {@link dev.prpf.par.sets.SftRecords} reads an SFT set strictly; for GRPO {@link dev.prpf.par.export.RewardedPrompts} joins its
 * prompts with the samples they are rewarded against and, where rollouts chose among them, with the groups that stayed; {@code TrainerRows}
 * makes a line of each; {@link dev.prpf.par.export.ExportFolder} writes the lines, the chat template, and for GRPO what the reward needs.
 *
 * <p>Invariants: rows are messages, so that the trainer applies a chat template, and the template written beside them gives our prompts;
 * what is no message stands in strings and numbers, so that every row has one Arrow schema; {@code export.json} is written last, a folder
 * without it is not whole.
 */
@NullMarked
package dev.prpf.par.export;

import org.jspecify.annotations.NullMarked;
