/**
 * Commands as jobs: {@link dev.prpf.cli.launch.LaunchCommand} makes a {@code LaunchPlan} of a command (its members), fills a
 * {@code JobTemplate} of {@code configs/launch/} with what a {@link dev.prpf.cli.launch.LaunchConfig} asks for, keeps both in a
 * {@code LaunchFolder} and has a {@code Scheduler} take it: Slurm, Kubernetes, or a shell on this machine.
 *
 * <p>Invariants: a member that left with 75 goes on in the same run directory; one that left with 1, 2, 3, 10, 11, 65, 69 or 78 is not run
 * again; a signal reaches a member once.
 */
@NullMarked
package dev.prpf.cli.launch;

import org.jspecify.annotations.NullMarked;
