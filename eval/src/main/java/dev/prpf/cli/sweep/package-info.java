/**
 * Runs one command over a product of axes.
 *
 * <p>Flow: {@link dev.prpf.cli.sweep.SweepPlan} makes a {@link dev.prpf.cli.sweep.SweepPlan.SweepMember} of each combination of the {@link
 * dev.prpf.cli.sweep.Axis axes}' values and writes itself next to them. Members run on this machine, several at a time, or elsewhere (as tasks
 * of an array). Each runs by its command line, {@link dev.prpf.cli.sweep.SweepPlan.SweepMember#command()}.
 *
 * <p>Invariant: a member that is done is not run again.
 */
@NullMarked
package dev.prpf.cli.sweep;

import org.jspecify.annotations.NullMarked;
