/**
 * Data commands on Apache Spark, run by {@code spark-submit}. They process partitioned JSON Lines and Parquet with the code and the output of
 * the commands for one machine ({@code docs/SPARK.md}).
 *
 * <p>{@link dev.prpf.spark.SparkMain} holds the commands, each a {@link dev.prpf.spark.SparkJob}. {@link dev.prpf.spark.InputOptions} reads an
 * input as {@link dev.prpf.spark.Numbered} lines, numbered through its {@link dev.prpf.spark.InputOptions.InputFiles}: the order of outputs.
 * {@link dev.prpf.spark.InputOptions.LenientInputOptions} skips or rejects invalid samples; {@link dev.prpf.spark.SampleParser.Problem} names the first record that
 * ends a job; {@link dev.prpf.spark.Pair} joins two inputs. Spark's own committer writes outputs, whole or not at all, to an
 * {@link dev.prpf.spark.OutputFolder}. No result is counted by an accumulator, since a task may run twice.
 */
@NullMarked
package dev.prpf.spark;

import org.jspecify.annotations.NullMarked;
