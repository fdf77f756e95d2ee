package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.ParquetShards;
import dev.prpf.base.parquet.ParquetRows;
import dev.prpf.base.parquet.ParquetRows.MalformedParquetException;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the records of a file as raw JSON, one by one: a JSON array, JSON Lines, or rows of Parquet files. Memory holds one record. */
public sealed interface RecordStream extends AutoCloseable
        permits RecordStream.JsonRecordStream, RecordStream.ParquetRecordStream {
    /**
     * One element of the file.
     *
     * @param index its index, from 0
     * @param json the element, of any JSON type
     * @param defects duplicate keys (the first value was kept), numbers that are not finite, strings with unpaired surrogates or
     *     invalid JSON
     */
    record RawRecord(long index, JsonNode json, List<Defect> defects) {
        /** Returns the paths of unreadable values; other defects there are consequences. */
        public Set<String> unreadable() {
            return defects.stream()
                    .filter(defect -> defect.rule().equals(JsonTree.NON_FINITE)
                            || defect.rule().equals(RecordColumns.JSON_COLUMN))
                    .map(Defect::path)
                    .collect(Collectors.toSet());
        }
    }

    /**
     * Opens a file, or the shards that {@link ParquetShards} finds.
     *
     * @throws PrpfException 65 if it cannot be opened
     */
    static RecordStream open(Path file) {
        return ParquetShards.isParquet(file) ? new ParquetRecordStream(file) : JsonRecordStream.open(file);
    }

    /**
     * Reads a single record, such as a line of JSON Lines.
     *
     * @param index its index, from 0
     * @param json in UTF-8
     * @throws MalformedFileException unless this is exactly one JSON value
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
        } catch (IOException e) { // of the content, since nothing is read from disk
            throw JsonTree.malformed(e);
        }
    }

    /**
     * Returns whether a file contains records, by its first element.
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
     * Returns the next record, or null after the last.
     *
     * @throws MalformedFileException if the file is truncated or damaged, holds no records, or has other columns; reading ends
     *     there
     * @throws PrpfException 65 if the file cannot be read
     */
    @Nullable
    RawRecord next();

    /** Returns the location of the last record for messages: the file and the record's index, from 0. */
    String place();

    @Override
    void close();

    /** Reads the rows of Parquet files as records; {@link RecordColumns} selects the columns. */
    static final class ParquetRecordStream implements RecordStream {
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

    /** Reads the records of a JSON array or of JSON Lines. */
    static final class JsonRecordStream implements RecordStream {
        private final Path file;
        private final JsonParser parser;
        private boolean array;
        private long next;
        private boolean ended;

        private JsonRecordStream(Path file, JsonParser parser) {
            this.file = file;
            this.parser = parser;
        }

        static JsonRecordStream open(Path file) {
            try {
                InputStream in = Files.newInputStream(file);
                try {
                    return new JsonRecordStream(file, JsonTree.FACTORY.createParser(in));
                } catch (IOException e) {
                    in.close();
                    throw e;
                }
            } catch (IOException e) {
                throw IoFailure.reading(file, e);
            }
        }

        @Override
        public @Nullable RawRecord next() {
            if (ended) {
                return null;
            }
            ended = true; // unless there is a record
            try {
                RawRecord record = advance();
                ended = record == null;
                return record;
            } catch (MalformedFileException e) {
                throw e.after(where());
            } catch (JsonProcessingException | CharConversionException e) {
                throw JsonTree.malformed(e).after(where());
            } catch (IOException e) {
                throw IoFailure.reading(file, e);
            }
        }

        @Override
        public String place() {
            return file + ": record " + (next - 1);
        }

        private String where() {
            return next == 0 ? "" : "after " + next + (next == 1 ? " complete record: " : " complete records: ");
        }

        private @Nullable RawRecord advance() throws IOException {
            JsonToken token = parser.nextToken();
            if (next == 0 && !array) {
                token = begin(token);
            }
            if (array && token == JsonToken.END_ARRAY) {
                JsonTree.requireEnd(parser, "array");
                return null;
            }
            if (token == null) {
                return null;
            }
            List<Defect> defects = new ArrayList<>();
            JsonNode json = JsonTree.read(parser, defects::add);
            if (!array) {
                requireRecord(json);
            }
            return new RawRecord(next++, json, defects);
        }

        private @Nullable JsonToken begin(@Nullable JsonToken token) throws IOException {
            if (token == null) {
                throw new MalformedFileException("empty-file", "the file is empty, must be a JSON array of records");
            }
            if (token == JsonToken.START_ARRAY) {
                array = true;
                return parser.nextToken();
            }
            if (token != JsonToken.START_OBJECT) {
                throw notAnArray("the file begins with " + JsonText.abbreviate(JsonTree.read(parser, defect -> {})));
            }
            return token;
        }

        /** Rejects a file if its first object is not a record: it is another kind of file, not JSON Lines. */
        private void requireRecord(JsonNode json) {
            if (next == 0 && !RecordJson.resemblesRecord(json)) {
                throw notAnArray("the file is a JSON object with the keys "
                        + json.propertyStream().map(Map.Entry::getKey).toList());
            }
        }

        private static MalformedFileException notAnArray(String found) {
            return new MalformedFileException(
                    "not-an-array", found + ", must be a JSON array of records (or JSON Lines)");
        }

        @Override
        public void close() {
            try {
                parser.close();
            } catch (IOException e) {
                throw IoFailure.reading(file, e);
            }
        }
    }
}
