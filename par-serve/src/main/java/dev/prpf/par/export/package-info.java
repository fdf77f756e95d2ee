/**
 * Exports of sets for other trainers: the prompts and responses of {@code reasoner sft} in the formats of LLaMA-Factory, TRL, verl, OpenRLHF,
 * slime and ms-swift.
 *
 * <p>Flow: {@link dev.prpf.par.sets.SftRecords} reads an SFT set strictly. For GRPO {@link dev.prpf.par.export.RewardedPrompts} joins its
 * prompts with gold samples and, after rollouts, with the chosen groups. {@code TrainerRows} makes the rows. {@link
 * dev.prpf.par.export.ExportFolder} writes the rows, the chat template, and for GRPO the reward's files.
 *
 * <p>Invariants: rows hold messages, and the exported chat template turns them into our prompts. Other fields are strings and numbers, so
 * that all rows have one Arrow schema. {@code export.json} is written last; a folder without it is incomplete.
 */
@NullMarked
package dev.prpf.par.export;

import org.jspecify.annotations.NullMarked;
