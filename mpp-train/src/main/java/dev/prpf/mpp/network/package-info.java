/**
 * The perceiver's network on DL4J (PRPF §3.3 and §3.5): a computation graph around one vertex that runs the body's SameDiff graph
 * through a static execution plan, with two dense heads and their losses.
 *
 * <p>Flow: {@link dev.prpf.mpp.network.FeatureBatch} (host floats) goes into {@link dev.prpf.mpp.network.MppNetwork}, which holds the
 * graph; {@link dev.prpf.mpp.network.MppBody} states the mathematics, {@link dev.prpf.mpp.network.PortablePlan} runs it by the library's
 * operations on every backend, {@link dev.prpf.mpp.network.HostPlan} does the same for floats in host memory in fewer and larger steps.
 * Both have every array allocated beforehand. ND4J arrays never leave this package.
 *
 * <p>Invariants: the portable plan's gradients agree with finite differences in double precision, the host plan's with the portable
 * plan's; masked steps change nothing; the same seed and steps give the same bits.
 */
@NullMarked
package dev.prpf.mpp.network;

import org.jspecify.annotations.NullMarked;
