/**
 * A phone with time, apps and events as data.
 *
 * <p>Flow: an {@link dev.prpf.data.world.AppDefinition} is read from one YAML file. A {@link dev.prpf.data.world.World} holds the state of several
 * apps and the screen that the user sees. Agents and events call functions of apps; the user makes moves on the screen. An {@link
 * dev.prpf.data.world.scenario.EventQueue} orders what happens next, and a {@link dev.prpf.data.world.VirtualClock} is the only source of time.
 *
 * <p>Invariants: no model and no wall clock is used here; equal seeds and equal calls give equal states. Wrong arguments give a {@link
 * dev.prpf.data.world.World.Result} with an error, never an exception, and change nothing.
 */
@NullMarked
package dev.prpf.data.world;

import org.jspecify.annotations.NullMarked;
