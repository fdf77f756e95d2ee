/**
 * The perceiver's network as the rest of the program uses it (PRPF §3.3 and §3.5): {@link dev.prpf.mpp.network.MppNetwork} holds the
 * parameters, the objective and AdamW, and runs on the engine of this build's device: {@code network.host} on the processor,
 * {@code network.graph} on CUDA. What the network is stands in {@code network.definition}. ND4J arrays never leave these packages.
 */
@NullMarked
package dev.prpf.mpp.network;

import org.jspecify.annotations.NullMarked;
