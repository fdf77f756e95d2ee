/**
 * Uploads of runs to trackers. {@link dev.prpf.cli.tracking.Tracking} is notified of the process's runs; a {@code Sender} for each tracker reads
 * their {@code metrics.jsonl} every few seconds and hands new lines to a {@code RunTracker}: MLflow's or TensorBoard's. {@link
 * dev.prpf.cli.tracking.TrackCommand} does the same for finished runs.
 *
 * <p>Invariants: every line of {@code metrics.jsonl} is sent at least once; a tracker that fails never stops the run.
 */
@NullMarked
package dev.prpf.cli.tracking;

import org.jspecify.annotations.NullMarked;
