package dev.prpf.data.io;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;

/** Writes samples as a ProactiveMobile file: a JSON array, one record a line. */
public final class SampleWriter {
    private SampleWriter() {}

    /**
     * Writes all of them, or leaves the place as it was, so that no reader ever sees half a file. Memory holds one record.
     *
     * @throws PrpfException 69 if nothing can be written there, 65 for a sample with a text that is no Unicode
     */
    public static void write(Path file, Iterator<Sample> samples) {
        AtomicFiles.write(file, out -> {
            String before = "[\n";
            while (samples.hasNext()) {
                out.write((before + record(samples.next())).getBytes(StandardCharsets.UTF_8));
                before = ",\n";
            }
            out.write((before.equals("[\n") ? "[]\n" : "\n]\n").getBytes(StandardCharsets.UTF_8));
        });
    }

    private static String record(Sample sample) throws IOException {
        String record = JsonTree.MAPPER.writeValueAsString(RecordJson.write(sample));
        if (!JsonText.isUnicode(record)) {
            throw new InvalidDataException("sample " + sample.id()
                    + " cannot be written: a text holds half a surrogate pair, which is no Unicode");
        }
        return record;
    }
}
