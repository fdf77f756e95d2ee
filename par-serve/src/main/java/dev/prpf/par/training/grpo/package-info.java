/**
 * GRPO training of the reasoner (PRPF §3.6, eq. 14): rollouts of the policy, their advantages, and the gradient against a frozen reference.
 * The objective itself is in {@code dev.prpf.par.grpo}, rollouts and their files in {@code dev.prpf.par.rollout}.
 */
@NullMarked
package dev.prpf.par.training.grpo;

import org.jspecify.annotations.NullMarked;
