/**
 * What runs write, sent to trackers: {@link dev.prpf.cli.tracking.Tracking} hears of the process's runs, a {@code Sender} for each tracker
 * reads their {@code metrics.jsonl} on a thread of its own and hands the lines to a {@code RunTracker}: MLflow's or TensorBoard's. {@link
 * dev.prpf.cli.tracking.TrackCommand} does the same for runs that lie there.
 *
 * <p>Invariants: what {@code metrics.jsonl} holds decides, and how far it was sent stands in the run's folder, so that a line is sent once
 * and none is lost; a tracker that fails never stops the run.
 */
@NullMarked
package dev.prpf.cli.tracking;

import org.jspecify.annotations.NullMarked;
