/**
 * The network on the processor, for floats: forward and backward passes by hand in few, large steps, the same for training, inference
 * and streaming.
 *
 * <p>{@link dev.prpf.mpp.network.host.HostOperations} interprets a definition: each operation appends its steps to a
 * {@link dev.prpf.mpp.network.host.Tape}, which splits them over threads; a {@link dev.prpf.mpp.network.host.Schedule} runs them. Matrix
 * products go to the BLAS that ND4J brings, all else is one pass over rows. {@link dev.prpf.mpp.network.host.HostEngine} runs batches,
 * {@link dev.prpf.mpp.network.host.HostStream} one sample that grows step by step.
 *
 * <p>Invariants: values and gradients agree with the SameDiff graph's, which finite differences hold; every array is allocated once a
 * batch shape; for a given number of threads the same inputs give the same bits, whichever thread runs a step.
 */
@NullMarked
package dev.prpf.mpp.network.host;

import org.jspecify.annotations.NullMarked;
