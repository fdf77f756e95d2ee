/**
 * The paths of the reward service: {@code /v1/reward} is our own protocol, {@code /get_reward} OpenRLHF's, {@code /slime} slime's. {@link
 * dev.prpf.par.serve.reward.RewardRoutes} adds the paths. Each protocol reads its bodies, and has {@link dev.prpf.par.reward.ResponseScorer} score
 * the responses. Rewards have their own gate, separate from generations.
 *
 * <p>Invariants: nothing is kept between requests. Any response of a policy gets a finite reward and 200. A client's error, such as an unknown id or
 * lists of different lengths, is a 400 that names the field.
 */
@NullMarked
package dev.prpf.par.serve.reward;

import org.jspecify.annotations.NullMarked;
