/**
 * GRPO training of the reasoner (PRPF §3.6, eq. 14). {@link GrpoTraining} is the loop: {@link GrpoTraining.PolicyRollouts} are sampled from
 * the current policy, {@link GrpoStep} computes their advantages, and {@link PolicyGradient} the gradient against a frozen {@link
 * PolicyGradient.ReferencePolicy}. The objective itself is in {@code dev.prpf.par.grpo}, rollouts and their files in {@code
 * dev.prpf.par.rollout}.
 */
@NullMarked
package dev.prpf.par.training.grpo;

import org.jspecify.annotations.NullMarked;
