/**
 * The cascade over HTTP. {@link dev.prpf.par.serve.cascade.CascadeRoutes} answers {@code /v1/perceive}, {@code /v1/recommend} and the sessions.
 * {@link dev.prpf.par.serve.cascade.MomentReader} reads a sample from a body. {@link dev.prpf.par.serve.cascade.ServedCascade} passes the sample
 * through policy, perceiver, gate and reasoner. {@link dev.prpf.par.serve.cascade.PerceiverService} and {@link
 * dev.prpf.par.serve.cascade.ServedReasoner} compute, each with its own queue. {@link dev.prpf.par.serve.cascade.Sessions} keeps a phone's steps.
 * {@link dev.prpf.par.serve.cascade.PareRole} answers chats of PARE with the cascade.
 * Invariants: encoders, prompts and answers see only what the policy admits. Each sample is recorded once. Samples are not written to disk or log
 * here.
 */
@NullMarked
package dev.prpf.par.serve.cascade;

import org.jspecify.annotations.NullMarked;
