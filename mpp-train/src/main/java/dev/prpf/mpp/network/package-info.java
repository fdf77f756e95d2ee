/**
 * The perceiver's network (PRPF §3.3 and §3.5): {@code network.definition} defines it, {@code network.host} runs it on the processor, {@code
 * network.graph} trains it with DL4J. This package has the model file, which both read, and the device of a build. ND4J arrays never leave
 * these packages.
 */
@NullMarked
package dev.prpf.mpp.network;

import org.jspecify.annotations.NullMarked;
