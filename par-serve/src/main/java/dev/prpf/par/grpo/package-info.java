/**
 * Group relative policy optimisation (PRPF §3.5 and Appendix A.4, eq. 14): advantages from the rewards of a group, and the clipped objective with a
 * k3 penalty towards a reference policy.
 *
 * <p>Flow: a group's rewards become advantages ({@link dev.prpf.par.grpo.GroupAdvantages}). {@link dev.prpf.par.grpo.GrpoLoss} computes a
 * differentiable loss from advantages and log-probabilities, and {@link dev.prpf.par.grpo.GrpoMetrics} by TRL's names. {@link
 * dev.prpf.par.grpo.GrpoPreset} has the differences of published objectives.
 *
 * <p>Invariants: the loss is divided by a number of the whole optimizer step, so that accumulation does not change it. Values at masked positions
 * never count.
 */
@NullMarked
package dev.prpf.par.grpo;

import org.jspecify.annotations.NullMarked;
