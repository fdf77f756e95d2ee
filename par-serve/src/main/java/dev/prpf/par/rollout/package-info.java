/**
 * Rollouts and the set that GRPO trains on (PRPF Appendix A.4, eq. 16).
 *
 * <p>Flow: {@link dev.prpf.par.rollout.GroupSampler} samples and rewards the responses of {@link dev.prpf.par.sets.PromptExample}s, with a
 * decoder in this process or, by way of {@link dev.prpf.par.rollout.RemoteRollouts}, on servers; all
 * else is pure code over records. {@link dev.prpf.par.rollout.RolloutGroup}s, one a prompt, are lines of a file that {@link dev.prpf.par.rollout.RolloutRun} writes; each becomes a {@link dev.prpf.par.rollout.GroupSummary}; {@link dev.prpf.par.rollout.GrpoSet} keeps the groups that
 * disagree, resizes and splits them, and counts everything it does.
 *
 * <p>Invariants: a group depends on seed, prompt and weights alone; a rollout is tokens with log-probabilities, never text alone; rollouts of different policies, prompts or sampling settings do
 * not mix; the same records, settings and seed give the same set.
 */
@NullMarked
package dev.prpf.par.rollout;

import org.jspecify.annotations.NullMarked;
