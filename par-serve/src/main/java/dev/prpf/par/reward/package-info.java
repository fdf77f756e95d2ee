/**
 * The structured reward of PRPF §3.5 and Appendix A.4 (eq. 15, 17-22): pure code that no engine runs, the same in the trainer, in {@code par
 * reward} and wherever a reward is asked for.
 *
 * <p>Flow: a sample's valid answers and a response go into {@link dev.prpf.par.reward.StructuredReward}; a {@link
 * dev.prpf.par.reward.RewardBreakdown} comes out, term by term.
 *
 * <p>Invariants: every reward is finite whatever the response; the terms add up to the total; a response that breaks the grammar gets schema
 * credit only, and always less of it than one that keeps it.
 */
@NullMarked
package dev.prpf.par.reward;

import org.jspecify.annotations.NullMarked;
