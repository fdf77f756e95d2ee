/**
 * The commands for data on Apache Spark, for {@code spark-submit}: what one machine does with a file is done here with partitioned JSON Lines
 * and Parquet, by the same code a partition, with the same output ({@code docs/SPARK.md}).
 *
 * <p>{@link dev.prpf.spark.Main} holds the commands, each a {@link dev.prpf.spark.SparkJob}. {@link dev.prpf.spark.InputFiles} finds an
 * input's files and sorts them by path; {@link dev.prpf.spark.Lines} cuts them into {@link dev.prpf.spark.Numbered} lines, whose numbers
 * count through all files: this is the order that outputs have. {@link dev.prpf.spark.FailedRecords} decides what becomes of lines that are
 * no samples; {@link dev.prpf.spark.Problem} names the first of those that end a job. {@link dev.prpf.spark.CallSelection} decides what
 * depends on all records of an input. Outputs are written by Spark's own committer, whole or not at all, to an {@link dev.prpf.spark.OutputFolder}.
 *
 * <p>Nothing that a result is made of is counted by an accumulator: a task that runs twice must not count twice.
 */
@NullMarked
package dev.prpf.spark;

import org.jspecify.annotations.NullMarked;
