package dev.prpf.base.parquet;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.base.parquet.ParquetRows.MalformedParquetException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * Reads rows as records, as strictly as {@link dev.prpf.base.files.RecordLines} reads lines: one column per component, no others.
 *
 * @param what the kind of row, for messages: "SFT record"
 * @param derived additional columns that are not read
 */
public record ParquetRecords<T extends Record>(Class<T> type, String what, Set<String> derived) {
    /**
     * Reads a file or shards row by row; memory holds one record.
     *
     * @param records receives the location of each record, {@code file: row n}, and the record
     * @throws PrpfException 65 for other columns, an invalid row, a damaged file, or files without rows
     */
    public void read(Path source, BiConsumer<String, T> records) {
        try (ParquetRows rows = ParquetRows.open(source, this::columns)) {
            int count = 0;
            for (ParquetRows.Row row = rows.next(); row != null; row = rows.next()) {
                records.accept(
                        row.place(),
                        JsonRecords.read(row.place(), what, row.json().toString(), type));
                count++;
            }
            if (count == 0) {
                throw new InvalidDataException(source + ": holds no " + what + "s");
            }
        } catch (MalformedParquetException e) {
            throw e.outcome();
        }
    }

    private Set<String> columns(Path file, Struct found) {
        Set<String> read = new TreeSet<>(found.fields().keySet());
        read.removeAll(derived);
        List<String> wrong = SchemaComparison.exact(ColumnType.of(type), found.only(read));
        if (!wrong.isEmpty()) {
            throw new MalformedParquetException(
                    file, "parquet-schema", "holds no " + what + "s: " + String.join("; ", wrong));
        }
        return read;
    }
}
