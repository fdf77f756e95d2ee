/**
 * Reads and writes Parquet files as JSON rows without Hadoop. Apache's {@code parquet-column} encodes and decodes pages; this
 * package reads and writes the files around them.
 *
 * <p>{@link dev.prpf.base.parquet.ParquetRows} reads, {@link dev.prpf.base.parquet.ParquetShardWriter} writes;
 * {@link dev.prpf.base.parquet.ColumnType} is the type of a column, {@link dev.prpf.base.parquet.SchemaComparison} finds defects
 * of a schema; {@link dev.prpf.base.parquet.ParquetRecords} reads records. Flow of a read: {@code ParquetFooter} locates columns,
 * {@code RowGroupPages} decompresses pages on demand ({@code PageCodec}), {@code RowAssembler} makes rows of their values.
 *
 * <p>DuckDB was measured as a replacement. Version 2.0.0.1 ignores page checksums, holds 2,048 rows at a time and loses the reason
 * of a damaged page. Versions 1.4.4 and 1.5.6 crash the JVM on damaged delta pages.
 *
 * <p>Invariants: memory holds one page per column; lengths are checked before decompression; nothing is coerced; null stays null.
 */
@NullMarked
package dev.prpf.base.parquet;

import org.jspecify.annotations.NullMarked;
