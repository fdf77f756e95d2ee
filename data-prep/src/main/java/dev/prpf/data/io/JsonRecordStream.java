package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.files.IoFailure;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the records of a JSON array or of JSON Lines. */
final class JsonRecordStream implements RecordStream {
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
        return new MalformedFileException("not-an-array", found + ", must be a JSON array of records (or JSON Lines)");
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
