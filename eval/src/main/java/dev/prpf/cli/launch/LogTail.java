package dev.prpf.cli.launch;

import dev.prpf.base.files.IoFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A growing file of lines; one that is not there yet has none. Memory holds one line of it, and of a long one a piece. */
final class LogTail {
    /** Longer lines come in pieces. */
    static final int LONGEST_LINE = 1 << 20;

    private static final int CHUNK = 1 << 16;
    private static final int CONTINUES = 0b1000_0000;
    private static final int CONTINUATION_MASK = 0b1100_0000;

    private final Path file;
    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private long at;

    LogTail(Path file) {
        this.file = file;
    }

    /**
     * Hands over the lines that came since the last call, one by one; what has no end yet comes with a later one.
     *
     * @param lines takes each, without its end
     */
    void fresh(Consumer<String> lines) {
        if (!Files.exists(file)) {
            return;
        }
        try (RandomAccessFile input = new RandomAccessFile(file.toFile(), "r")) {
            input.seek(at);
            byte[] chunk = new byte[CHUNK];
            for (int read = input.read(chunk); read > 0; read = input.read(chunk)) {
                at += read;
                take(chunk, read, lines);
            }
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    private void take(byte[] chunk, int length, Consumer<String> lines) {
        int from = 0;
        for (int i = 0; i < length; i++) {
            boolean end = chunk[i] == '\n';
            boolean full = begun.size() + i - from >= LONGEST_LINE && (chunk[i] & CONTINUATION_MASK) != CONTINUES;
            if (end || full) {
                begun.write(chunk, from, i - from);
                lines.accept(begun.toString(StandardCharsets.UTF_8));
                begun.reset();
                from = end ? i + 1 : i;
            }
        }
        begun.write(chunk, from, length - from);
    }
}
