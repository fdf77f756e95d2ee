/**
 * The reward service: {@code /v1/reward} of our own, {@code /get_reward} as OpenRLHF asks, {@code /slime} as slime asks. {@link
 * dev.prpf.par.serve.reward.RewardRoutes} adds the paths; each protocol reads its bodies and has {@link
 * dev.prpf.par.reward.ResponseScorer} reward the responses, behind a gate of its own that no generation shares.
 *
 * <p>Invariants: nothing is kept between requests; whatever a policy wrote gets a finite reward and 200; what the caller got wrong (an id that
 * no sample has, lists of unlike lengths) is a 400 that names the field.
 */
@NullMarked
package dev.prpf.par.serve.reward;

import org.jspecify.annotations.NullMarked;
