/**
 * The structured reward of PRPF §3.5 and Appendix A.4 (eq. 15, 17-22): pure code without an engine, shared by the trainer, {@code reasoner reward}
 * and the reward service.
 *
 * <p>Flow: {@link dev.prpf.par.reward.StructuredReward} turns a sample's valid answers and a response into a {@link
 * dev.prpf.par.reward.RewardBreakdown} by terms.
 *
 * <p>Invariants: every reward is finite for any response. The terms sum to the total. A response that violates the grammar gets only schema
 * credit, and always less of it than a valid one.
 */
@NullMarked
package dev.prpf.par.reward;

import org.jspecify.annotations.NullMarked;
