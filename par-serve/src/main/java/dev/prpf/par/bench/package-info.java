/**
 * What a decoder costs on this machine: tokens a second of reading a prompt and of writing, beside what the memory and the products of
 * matrices allow here.
 *
 * <p>{@link dev.prpf.par.bench.DecoderBench} runs it all through {@link dev.prpf.par.generate.Generator}, as every other command decodes.
 * Speed does not depend on what a model has learnt, so {@link dev.prpf.par.bench.DecoderBench#knownShape} draws random weights.
 */
@NullMarked
package dev.prpf.par.bench;

import org.jspecify.annotations.NullMarked;
