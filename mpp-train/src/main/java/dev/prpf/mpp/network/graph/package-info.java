/**
 * The network as a SameDiff graph, for training: {@link PerceiverGraph} builds it from the definition ({@link GraphOperations}).
 * A {@link PerceiverBody} computes the hidden layers. {@code HostBody} runs {@code network.host}'s hand-written passes on the
 * processor. {@link SameDiffBody} uses the library's automatic gradients: on CUDA, and as the reference in tests. {@link
 * GraphAdamW} is the optimizer.
 */
@NullMarked
package dev.prpf.mpp.network.graph;

import org.jspecify.annotations.NullMarked;
