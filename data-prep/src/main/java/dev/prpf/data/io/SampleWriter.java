package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.Sample;
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
                out.write((before + line(samples.next())).getBytes(StandardCharsets.UTF_8));
                before = ",\n";
            }
            out.write((before.equals("[\n") ? "[]\n" : "\n]\n").getBytes(StandardCharsets.UTF_8));
        });
    }

    /**
     * A sample's record on one line, without its end: what an array's element or a line of JSON Lines is.
     *
     * @throws PrpfException 65 if a text is no Unicode
     */
    public static String line(Sample sample) {
        String record = text(sample);
        if (!JsonText.isUnicode(record)) {
            throw new InvalidDataException("sample " + sample.id()
                    + " cannot be written: a text holds half a surrogate pair, which is no Unicode");
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
