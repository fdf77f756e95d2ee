/**
 * Files to samples and back, as streams; safetensors.
 *
 * <p>{@link dev.prpf.data.io.RecordStream} cuts a file into raw records, of JSON or of Parquet ({@link
 * dev.prpf.data.io.RecordColumns}), {@link dev.prpf.data.io.RecordJson} turns a record into a
 * {@link dev.prpf.data.Sample} and reports every {@link dev.prpf.data.io.Defect} of its shape, {@link dev.prpf.data.io.SampleReader}
 * throws at the first. {@link dev.prpf.data.io.AnswersMapping} knows where a record keeps its answers,
 * {@link dev.prpf.data.io.FunctionCallJson} in which shapes. Invariants: one record is in memory at a time; nothing is coerced; a key
 * that stands twice is a defect; what is written appears whole or not at all.
 */
@NullMarked
package dev.prpf.data.io;

import org.jspecify.annotations.NullMarked;
