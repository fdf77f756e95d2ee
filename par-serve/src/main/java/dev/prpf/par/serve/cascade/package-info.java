/**
 * The cascade over HTTP. {@link dev.prpf.par.serve.cascade.CascadeRoutes} answers {@code /v1/perceive}, {@code /v1/recommend} and the sessions;
 * {@link dev.prpf.par.serve.cascade.MomentReader} reads a moment from a body; {@link dev.prpf.par.serve.cascade.ServedCascade} takes it through
 * policy, perceiver, gate and reasoner; {@link dev.prpf.par.serve.cascade.PerceiverService} and {@link
 * dev.prpf.par.serve.cascade.ServedReasoner} do the work, each with a queue of its own; {@link dev.prpf.par.serve.cascade.Sessions} keeps what
 * a phone streams. Invariants: encoders, prompts and answers see what the policy admits and nothing else; each moment is recorded once;
 * nothing of a moment is written to a disk or a log here.
 */
@NullMarked
package dev.prpf.par.serve.cascade;

import org.jspecify.annotations.NullMarked;
