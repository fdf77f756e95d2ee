/**
 * The paper's perceiver tables and plots, made from the files of trained runs. Tables: the channels' ablations (2), the confusion matrix (6),
 * metrics over seeds (7), recall of the top-K scenarios (8). Plots: curves and reliability.
 *
 * <p>{@link dev.prpf.mpp.tables.PerceiverTables.EvaluatedRun} is one run's samples with its threshold, {@link dev.prpf.mpp.tables.PerceiverTables} the
 * metrics of all runs, {@link dev.prpf.mpp.tables.PerceiverReport} the page, {@link dev.prpf.mpp.tables.MemberTable} an ensemble's members.
 * Every metric has its number of samples and, if it is a share of samples, its exact 95 percent interval ({@link dev.prpf.mpp.tables.Share}).
 */
@NullMarked
package dev.prpf.mpp.tables;

import org.jspecify.annotations.NullMarked;
