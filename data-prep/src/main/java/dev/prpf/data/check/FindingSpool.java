package dev.prpf.data.check;

import dev.prpf.base.files.IoFailure;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Buffers findings in a temporary file for a JSON object in which their counts come first, so that any number fits. */
public final class FindingSpool implements AutoCloseable {
    private final Path file;
    private final BufferedWriter lines;

    public FindingSpool() {
        try {
            file = Files.createTempFile("prpf-findings", ".jsonl");
            // not Files.newBufferedWriter, which rejects unpaired surrogates
            lines = new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(file), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw IoFailure.writing(Path.of(System.getProperty("java.io.tmpdir")), e);
        }
    }

    public void add(Finding finding) {
        IoFailure.whileWriting(file, () -> lines.write(finding.toJson() + "\n"));
    }

    /** Writes all findings as one JSON array, in pieces. */
    public void copyTo(Consumer<String> target) {
        try (BufferedReader in = Files.newBufferedReader(file)) {
            lines.flush();
            String before = "[";
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                target.accept(before + line);
                before = ",";
            }
            target.accept(before.equals("[") ? "[]" : "]");
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    @Override
    public void close() {
        IoFailure.whileWriting(file, () -> {
            lines.close();
            Files.deleteIfExists(file);
        });
    }
}
