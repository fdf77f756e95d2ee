/**
 * The speed of a decoder on this machine: tokens per second of prefill and decode, compared with the limits of memory and matrix products.
 *
 * <p>{@link dev.prpf.par.bench.DecoderBench} runs {@link dev.prpf.par.generate.Generator}, as every other command. Speed does not depend on the
 * trained weights, so {@link dev.prpf.par.bench.DecoderBench#knownShape} uses random ones.
 */
@NullMarked
package dev.prpf.par.bench;

import org.jspecify.annotations.NullMarked;
