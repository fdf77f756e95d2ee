/**
 * Group relative policy optimisation (PRPF §3.5 and Appendix A.4, eq. 14): advantages from the rewards of a group, and the clipped objective
 * with a k3 penalty towards a reference policy.
 *
 * <p>Flow: a group's rewards become advantages ({@link dev.prpf.par.grpo.GroupAdvantages}); {@link dev.prpf.par.grpo.GrpoLoss} makes of them
 * and of log-probabilities a loss that libtorch differentiates, and {@link dev.prpf.par.grpo.GrpoMetrics} by TRL's names. {@link
 * dev.prpf.par.grpo.GrpoPreset} holds what the published objectives differ in.
 *
 * <p>Invariants: the loss is divided by a number that belongs to the whole optimizer step, so that accumulating does not change it; what
 * stands at masked positions never counts.
 */
@NullMarked
package dev.prpf.par.grpo;

import org.jspecify.annotations.NullMarked;
