/**
 * The perceiver's network on DL4J (PRPF §3.3 and §3.5): a computation graph around one vertex that runs the body's SameDiff graph
 * through a static execution plan, with two dense heads and their losses.
 *
 * <p>Flow: {@link dev.prpf.mpp.network.FeatureBatch} (host floats) goes into {@link dev.prpf.mpp.network.MppNetwork}, which holds the
 * graph; {@link dev.prpf.mpp.network.MppBody} states the mathematics once, {@link dev.prpf.mpp.network.ExecutionPlan} runs it with
 * every array allocated beforehand. ND4J arrays never leave this package.
 *
 * <p>Invariants: gradients agree with finite differences in double precision; masked steps change nothing; the same seed and steps
 * give the same bits.
 */
@NullMarked
package dev.prpf.mpp.network;

import org.jspecify.annotations.NullMarked;
