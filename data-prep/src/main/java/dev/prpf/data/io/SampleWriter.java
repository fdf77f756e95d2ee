package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.Sample;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;

/** Writes samples as a ProactiveMobile file: a JSON array, one record per line. */
public final class SampleWriter {
    private SampleWriter() {}

    /**
     * Writes all samples atomically. Memory holds one record.
     *
     * @throws PrpfException 69 if the file cannot be written, 65 for a text with an unpaired surrogate
     */
    public static void write(Path file, Iterator<Sample> samples) {
        AtomicFiles.write(file, out -> {
            String before = "[\n";
            while (samples.hasNext()) {
                out.write((before + line(samples.next())).getBytes(StandardCharsets.UTF_8));
                before = ",\n";
            }
            out.write((before.equals("[\n") ? "[]\n" : "\n]\n").getBytes(StandardCharsets.UTF_8));
        });
    }

    /**
     * Returns a sample's record on one line, without line terminator.
     *
     * @throws PrpfException 65 for a text with an unpaired surrogate
     */
    public static String line(Sample sample) {
        String record = text(sample);
        if (!JsonText.isUnicode(record)) {
            throw new InvalidDataException("sample " + sample.id()
                    + " cannot be written: a text has an unpaired surrogate, which is not valid Unicode");
        }
        return record;
    }

    private static String text(Sample sample) {
        try {
            return JsonTree.MAPPER.writeValueAsString(RecordJson.write(sample));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a sample that cannot be written as JSON: " + sample.id(), e);
        }
    }
}
