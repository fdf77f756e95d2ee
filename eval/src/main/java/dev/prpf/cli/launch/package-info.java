/**
 * Runs commands as jobs. {@link dev.prpf.cli.launch.LaunchCommand} makes a {@code LaunchPlan} of a command (its members). It fills a {@code
 * JobTemplate} of {@code configs/launch/} with a {@link dev.prpf.cli.launch.LaunchConfig} and saves both in a {@code LaunchFolder}. A {@code
 * JobScheduler} runs the job: Slurm, Kubernetes, or a shell on this machine.
 *
 * <p>Invariants: a member that exits with 75 resumes in the same run directory. One that exits with 1, 2, 3, 10, 11, 65, 69 or 78 is not run
 * again. A signal reaches a member once.
 */
@NullMarked
package dev.prpf.cli.launch;

import org.jspecify.annotations.NullMarked;
