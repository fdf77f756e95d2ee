/**
 * The network as a SameDiff graph: with the library's operations and automatic gradients, on any device and in double precision. CUDA builds
 * run it, and it is the reference in tests of {@code network.host}'s hand-written passes.
 */
@NullMarked
package dev.prpf.mpp.network.graph;

import org.jspecify.annotations.NullMarked;
