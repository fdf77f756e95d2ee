/**
 * The generation loop of the server. {@link dev.prpf.par.serve.generation.GenerationService} queues prompts, fair between API keys, and feeds the
 * engine's {@link dev.prpf.par.generate.Scheduler} from its own thread. Each {@link dev.prpf.par.serve.generation.GenerationStream} receives the
 * updates of its sequence. Invariants: only that thread uses the decoder. A stream gets its tokens in order, and one end.
 */
@NullMarked
package dev.prpf.par.serve.generation;

import org.jspecify.annotations.NullMarked;
