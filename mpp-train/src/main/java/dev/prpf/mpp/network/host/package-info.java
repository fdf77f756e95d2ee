/**
 * The network on the processor, in floats: hand-written forward and backward passes in few, large steps, shared by training, inference and
 * streaming.
 *
 * <p>{@link dev.prpf.mpp.network.host.HostEngine.HostOperations} interprets a definition: each operation appends its steps to a {@link
 * dev.prpf.mpp.network.host.Tape}, which splits them over threads; a {@link dev.prpf.mpp.network.host.Schedule} runs them. ND4J's BLAS
 * computes matrix products; everything else is one pass over rows. {@link dev.prpf.mpp.network.host.HostEngine} runs batches, {@link
 * dev.prpf.mpp.network.host.HostStream} one sample that grows by steps.
 *
 * <p>Invariants: values and gradients agree with the SameDiff graph's, which are tested by finite differences. Every array is allocated once
 * per batch shape. For a given number of threads, equal inputs give equal bits.
 */
@NullMarked
package dev.prpf.mpp.network.host;

import org.jspecify.annotations.NullMarked;
