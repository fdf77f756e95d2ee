/**
 * The one loop that all generations of the server go through: {@link dev.prpf.par.serve.generation.GenerationService} queues prompts, fair
 * between callers, and feeds the engine's {@link dev.prpf.par.generate.Scheduler} from a thread of its own; what comes out reaches each {@link
 * dev.prpf.par.serve.generation.GenerationStream}. Invariants: the decoder is used by that thread alone; a stream gets its tokens in order and
 * one end.
 */
@NullMarked
package dev.prpf.par.serve.generation;

import org.jspecify.annotations.NullMarked;
