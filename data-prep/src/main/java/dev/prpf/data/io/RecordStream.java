package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.ParquetShards;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The records of a file as raw JSON, one at a time: of a JSON array, of JSON Lines, or the rows of Parquet files. Memory holds one record,
 * whatever the file's length.
 */
public sealed interface RecordStream extends AutoCloseable permits JsonRecordStream, ParquetRecordStream {
    /**
     * One element of the file.
     *
     * @param index its place, from 0
     * @param json the element, of any JSON type
     * @param defects keys that stand twice (the first value was kept), numbers that are none, texts that are no Unicode or no JSON
     */
    record RawRecord(long index, JsonNode json, List<Defect> defects) {
        /** Places of values that could not be read: whatever else is found there follows from it. */
        public Set<String> unreadable() {
            return defects.stream()
                    .filter(defect -> defect.rule().equals(JsonTree.NON_FINITE)
                            || defect.rule().equals(RecordColumns.JSON_COLUMN))
                    .map(Defect::path)
                    .collect(Collectors.toSet());
        }
    }

    /**
     * A record that stands alone: a line of JSON Lines.
     *
     * @param index its place among the records around it, from 0
     * @param json in UTF-8
     * @throws MalformedFileException if this is no JSON value, or more than one
     */
    static RawRecord single(long index, byte[] json) {
        try (JsonParser parser = JsonTree.FACTORY.createParser(json)) {
            if (parser.nextToken() == null) {
                throw new MalformedFileException("empty-file", "the line is empty, must hold a JSON value");
            }
            List<Defect> defects = new ArrayList<>();
            JsonNode value = JsonTree.read(parser, defects::add);
            JsonTree.requireEnd(parser, "JSON value");
            return new RawRecord(index, value, defects);
        } catch (IOException e) { // of what it holds: nothing is read from a disk
            throw JsonTree.malformed(e);
        }
    }

    /**
     * Opens a file, or the shards that {@link ParquetShards} finds there.
     *
     * @throws PrpfException 65 if it cannot be opened
     */
    static RecordStream open(Path file) {
        return ParquetShards.isParquet(file) ? new ParquetRecordStream(file) : JsonRecordStream.open(file);
    }

    /**
     * Whether that is a file of records at all, and no other of ours: its first element decides.
     *
     * @throws PrpfException 65 if it cannot be read
     */
    static boolean holdsRecords(Path file) {
        try (RecordStream records = open(file)) {
            RawRecord first = records.next();
            return first != null && RecordJson.resemblesRecord(first.json());
        } catch (MalformedFileException e) {
            return false;
        }
    }

    /**
     * The next record, or null after the last.
     *
     * @throws MalformedFileException if the file is cut off or damaged, holds no records, or has other columns; reading ends there
     * @throws PrpfException 65 if the file cannot be read
     */
    @Nullable
    RawRecord next();

    /** Where the last record stands, for messages: the file and its place there, from 0. */
    String place();

    @Override
    void close();
}
