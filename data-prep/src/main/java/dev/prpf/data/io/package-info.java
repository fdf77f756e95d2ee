/**
 * Reads, checks and writes samples as streams.
 *
 * <p>{@link dev.prpf.data.io.RecordStream} reads raw records of JSON or Parquet ({@link dev.prpf.data.io.RecordColumns}).
 * {@link dev.prpf.data.io.RecordJson} converts a record to a {@link dev.prpf.data.Sample} and reports every
 * {@link dev.prpf.data.io.Defect}; {@link dev.prpf.data.io.SampleReader} throws at the first.
 * {@link dev.prpf.data.io.AnswersMapping} finds a record's answers, {@link dev.prpf.data.io.FunctionCallJson} reads them.
 * {@link dev.prpf.data.io.Validator} checks the raw records of a file and reports every defect as a {@link dev.prpf.data.io.Finding}, and
 * {@link dev.prpf.data.io.DatasetStatistics} has the counts of PRPF's Table 5.
 *
 * <p>Invariants: one record is in memory at a time; nothing is coerced; a duplicate key is a defect; files are written atomically.
 */
@NullMarked
package dev.prpf.data.io;

import org.jspecify.annotations.NullMarked;
