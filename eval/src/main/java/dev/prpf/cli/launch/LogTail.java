package dev.prpf.cli.launch;

import dev.prpf.base.files.IoFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A growing file of lines; one that is not there yet has none. */
final class LogTail {
    private static final int CHUNK = 1 << 16;

    private final Path file;
    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private long at;

    LogTail(Path file) {
        this.file = file;
    }

    /** The lines that came since the last call; what has no end yet comes with a later one. */
    List<String> fresh() {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (RandomAccessFile input = new RandomAccessFile(file.toFile(), "r")) {
            input.seek(at);
            byte[] chunk = new byte[CHUNK];
            for (int read = input.read(chunk); read > 0; read = input.read(chunk)) {
                begun.write(chunk, 0, read);
                at += read;
            }
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
        byte[] bytes = begun.toByteArray();
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        begun.reset();
        begun.write(bytes, end, bytes.length - end);
        return new String(bytes, 0, end, StandardCharsets.UTF_8).lines().toList();
    }
}
