/**
 * One command over the product of axes.
 *
 * <p>Flow: {@link dev.prpf.cli.sweep.SweepPlan} makes a {@link dev.prpf.cli.sweep.SweepMember} of each combination of the {@link
 * dev.prpf.cli.sweep.Axis axes}' values and writes itself beside them; members run here, several at a time, or wherever somebody else runs
 * them (the tasks of an array), each by the same command line, {@link dev.prpf.cli.sweep.SweepMember#command()}.
 *
 * <p>Invariant: a member that is done is not run again.
 */
@NullMarked
package dev.prpf.cli.sweep;

import org.jspecify.annotations.NullMarked;
