package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.RecordStream.RawRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the samples of a ProactiveMobile file one by one (a JSON array, JSON Lines, or Parquet); memory holds one record. A
 * structural defect ends reading with a {@link PrpfException} (65) that names file, record, JSON Pointer, value and rule.
 */
public final class SampleReader implements Iterator<Sample>, AutoCloseable {
    private final Path file;
    private final RecordStream records;
    private final RecordJson json;
    private @Nullable Sample next;

    /**
     * Opens a file; the mapping finds the answers.
     *
     * @throws PrpfException 65 if the file cannot be opened
     */
    public SampleReader(Path file, AnswersMapping mapping) {
        this.file = file;
        this.json = new RecordJson(mapping);
        this.records = RecordStream.open(file);
    }

    /** Opens a file with answers under a known key. */
    public static SampleReader open(Path file) {
        return new SampleReader(file, AnswersMapping.standard());
    }

    /**
     * Reads all samples of a file into memory.
     *
     * @throws PrpfException 65 if the file or a record is defective, or an id is a duplicate
     */
    public static List<Sample> readAll(Path file) {
        List<Sample> samples = new ArrayList<>();
        Map<String, Integer> seen = new HashMap<>();
        try (SampleReader reader = open(file)) {
            while (reader.hasNext()) {
                Sample sample = reader.next();
                Integer earlier = seen.put(sample.id(), samples.size());
                if (earlier != null) {
                    throw new InvalidDataException(reader.records.place() + ", at /benchmark_metadata/id: \""
                            + sample.id() + "\" is the id of record " + earlier + " already, ids must be unique");
                }
                samples.add(sample);
            }
        }
        return samples;
    }

    @Override
    public boolean hasNext() {
        if (next == null) {
            next = advance();
        }
        return next != null;
    }

    @Override
    public Sample next() {
        if (!hasNext() || next == null) {
            throw new NoSuchElementException(file + " has no more records");
        }
        Sample sample = next;
        next = null;
        return sample;
    }

    private @Nullable Sample advance() {
        RawRecord raw;
        try {
            raw = records.next();
        } catch (MalformedFileException e) {
            throw new InvalidDataException(file + ": " + e.defect().describe());
        }
        if (raw == null) {
            return null;
        }
        List<Defect> defects = new ArrayList<>(raw.defects());
        Sample sample = json.read(raw.json(), defects::add).sample();
        defects.stream().filter(Defect::isFatal).findFirst().ifPresent(defect -> {
            throw new InvalidDataException(records.place() + idOf(raw.json()) + ", " + defect.describe()
                    + "; data validate lists every defect");
        });
        return sample;
    }

    private static String idOf(JsonNode record) {
        JsonNode id = record.at("/benchmark_metadata/id");
        return id.isMissingNode() ? "" : " (id " + JsonText.abbreviate(id) + ")";
    }

    @Override
    public void close() {
        records.close();
    }
}
