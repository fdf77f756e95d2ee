package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.parquet.ParquetRows;
import dev.prpf.base.parquet.ParquetRows.MalformedParquetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the rows of Parquet files as records; {@link RecordColumns} selects the columns. */
final class ParquetRecordStream implements RecordStream {
    private final Path source;
    private final ParquetRows rows;
    private ParquetRows.@Nullable Row row;
    private long next;
    private boolean ended;

    ParquetRecordStream(Path source) {
        this.source = source;
        this.rows = ParquetRows.open(source, RecordColumns::choose);
    }

    @Override
    public @Nullable RawRecord next() {
        if (ended) {
            return null;
        }
        ended = true; // unless there is a row
        try {
            ParquetRows.Row found = rows.next();
            if (found == null) {
                return null;
            }
            ended = false;
            row = found;
            List<Defect> defects = new ArrayList<>();
            JsonNode json = RecordColumns.record(found.json(), defects::add);
            return new RawRecord(next++, json, defects);
        } catch (MalformedParquetException e) {
            String shard = e.file().equals(source) ? "" : e.file().getFileName() + ": ";
            throw new MalformedFileException(e.rule(), shard + e.reason());
        }
    }

    @Override
    public String place() {
        return row == null ? source.toString() : row.place();
    }

    @Override
    public void close() {
        rows.close();
    }
}
