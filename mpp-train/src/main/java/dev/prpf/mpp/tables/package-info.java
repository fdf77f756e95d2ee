/**
 * What the paper reports of its perceiver, made from the files of trained runs: the confusion matrix (Table 6), the metrics over seeds
 * (Table 7), the recall of the top-K scenarios (Table 8), the channels' ablations (Table 2), curves and reliability.
 *
 * <p>{@link dev.prpf.mpp.tables.EvaluatedRun} is one run's samples under its threshold, {@link dev.prpf.mpp.tables.PerceiverTables} the
 * metrics of all runs, {@link dev.prpf.mpp.tables.PerceiverReport} the page, {@link dev.prpf.mpp.tables.MemberTable} an ensemble's members. Every metric carries the number of samples it is over and,
 * where it is a share of samples, its exact 95 percent interval ({@link dev.prpf.mpp.tables.Share}).
 */
@NullMarked
package dev.prpf.mpp.tables;

import org.jspecify.annotations.NullMarked;
