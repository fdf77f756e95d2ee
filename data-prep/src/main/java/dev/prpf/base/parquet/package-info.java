/**
 * Parquet files as rows of JSON, and back; without Hadoop: Apache's {@code parquet-column} cuts values into pages and puts them together,
 * the files around the pages are read and written here.
 *
 * <p>{@link dev.prpf.base.parquet.ParquetRows} reads, {@link dev.prpf.base.parquet.ParquetShardWriter} writes;
 * {@link dev.prpf.base.parquet.ColumnType} says what columns hold and {@link dev.prpf.base.parquet.SchemaComparison} what is wrong with
 * them; {@link dev.prpf.base.parquet.ParquetRecords} reads our own records. Flow of a read: {@code ParquetFooter} says where columns are,
 * {@code RowGroupPages} unpacks a page of each when it is needed ({@code PageCodec}), {@code RowAssembler} makes rows of their values.
 *
 * <p>Invariants: memory holds one page a column; lengths are checked before anything is unpacked; nothing is coerced; a null stays a null.
 */
@NullMarked
package dev.prpf.base.parquet;

import org.jspecify.annotations.NullMarked;
