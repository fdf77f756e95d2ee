package dev.prpf.par.tokenizer;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.SampleReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads what a tokenizer learns from: data (a JSON array), pools (a JSON object) and plain text. */
public final class TrainingTextReader {
    private TrainingTextReader() {}

    /**
     * Adds one file.
     *
     * @throws PrpfException 65 if it cannot be read
     */
    public static void read(Path file, TrainingText into) {
        switch (firstCharacter(file)) {
            case '[' -> {
                try (SampleReader samples = SampleReader.open(file)) {
                    while (samples.hasNext()) {
                        Sample sample = samples.next();
                        into.add(sample);
                    }
                }
            }
            case '{' -> into.add(FunctionPoolReader.read(file));
            default -> readPlain(file, into);
        }
    }

    private static char firstCharacter(Path file) {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            int c = reader.read();
            while (c >= 0 && Character.isWhitespace(c)) {
                c = reader.read();
            }
            return c < 0 ? 0 : (char) c;
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static void readPlain(Path file, TrainingText into) {
        try {
            Files.readAllLines(file).forEach(into::add);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static PrpfException unreadable(Path file, IOException e) {
        return new InvalidDataException(
                file + ": cannot be read as text in UTF-8: " + e + "; give data, a pool or plain text", e);
    }
}
