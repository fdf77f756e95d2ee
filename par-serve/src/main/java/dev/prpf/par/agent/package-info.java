/**
 * Participants of an episode: the {@link dev.prpf.par.agent.ProactiveAgent} that offers help, and the {@link
 * dev.prpf.par.agent.SimulatedUser} that receives the offers. {@link dev.prpf.par.agent.Agents} and {@link dev.prpf.par.agent.Users} name the
 * shipped ones; {@link dev.prpf.par.agent.CascadeAgent} needs a cascade, and {@link dev.prpf.par.agent.EpisodePolicy} a policy. A {@link dev.prpf.par.agent.ChatPlayer} plays one role with a language model. {@code ExpectedRun} gives the offers and calls of the scenario's expected run to the agents that decide only when to help.
 *
 * <p>Invariants: one instance plays one episode. Rule-based users are deterministic functions of a seed; they test the machinery and do
 * not describe people.
 */
@NullMarked
package dev.prpf.par.agent;

import org.jspecify.annotations.NullMarked;
