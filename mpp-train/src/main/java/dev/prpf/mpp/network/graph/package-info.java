/**
 * The network as a SameDiff graph: the library's own operations and automatic gradients, on any device and in double precision. It runs
 * a build for CUDA, and it is the reference that the hand-written passes of {@code network.host} are tested against.
 */
@NullMarked
package dev.prpf.mpp.network.graph;

import org.jspecify.annotations.NullMarked;
