/**
 * Rollouts and the GRPO set made from them (PRPF Appendix A.4, eq. 16).
 *
 * <p>Flow: {@link dev.prpf.par.rollout.GroupSampler} samples and rewards the responses of {@link dev.prpf.par.sets.PromptExample}s, with a
 * decoder in this process or on servers ({@link dev.prpf.par.rollout.RemoteRollouts}); all else is pure code over records. {@link
 * dev.prpf.par.rollout.RolloutRun} writes a {@link dev.prpf.par.rollout.RolloutGroup} for each prompt, one a line. Each becomes a {@link
 * dev.prpf.par.rollout.RolloutGroup.GroupSummary}. {@link dev.prpf.par.rollout.GrpoSet} retains the groups that disagree, resizes and splits them, with
 * counts.
 *
 * <p>Invariants: a group depends only on seed, prompt and weights. A rollout has tokens with log-probabilities, never only text. Rollouts of
 * different policies, prompts or sampling settings are not mixed. Equal records, settings and seed give equal sets.
 */
@NullMarked
package dev.prpf.par.rollout;

import org.jspecify.annotations.NullMarked;
