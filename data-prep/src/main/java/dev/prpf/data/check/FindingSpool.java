package dev.prpf.data.check;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SequenceWriter;
import dev.prpf.base.files.IoFailure;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Findings on their way to one JSON object, whose counts stand before them: kept in a temporary file, so that any number fits. */
public final class FindingSpool implements AutoCloseable {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS); // 1e400 is no double

    private final Path file;
    private final SequenceWriter writer;

    public FindingSpool() {
        try {
            file = Files.createTempFile("prpf-findings", ".jsonl");
            BufferedWriter out = Files.newBufferedWriter(file);
            writer = JSON.writer()
                    .with(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .withRootValueSeparator("\n")
                    .writeValues(out);
        } catch (IOException e) {
            throw IoFailure.writing(Path.of(System.getProperty("java.io.tmpdir")), e);
        }
    }

    /** Keeps one finding. */
    public void add(Finding finding) {
        try {
            writer.write(finding.toJson());
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    /** Writes all findings as one JSON array. */
    public void copyTo(JsonGenerator generator) throws IOException {
        writer.close();
        generator.writeStartArray();
        try (BufferedReader in = Files.newBufferedReader(file);
                MappingIterator<JsonNode> findings =
                        JSON.readerFor(JsonNode.class).readValues(in)) {
            while (findings.hasNext()) {
                JSON.writeTree(generator, findings.next());
            }
        }
        generator.writeEndArray();
    }

    @Override
    public void close() {
        try {
            writer.close();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }
}
