package dev.prpf.spark;

import dev.prpf.data.Sample;
import dev.prpf.data.check.Finding;
import dev.prpf.data.check.RecordChecker;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.MalformedFileException;
import dev.prpf.data.io.RecordJson;
import dev.prpf.data.io.RecordStream;
import dev.prpf.data.io.RecordStream.RawRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads samples in tasks; as a function it skips lines that are not samples.
 *
 * @param mapping where records keep their answers
 */
record SampleParser(AnswersMapping mapping) implements FlatMapFunction<Numbered, Sample> {
    /**
     * Parses the sample of a line.
     *
     * @param failures receives each fatal defect
     * @return null if there is a fatal defect
     */
    @Nullable
    Sample parse(Numbered line, Consumer<Finding> failures) {
        RawRecord raw;
        try {
            raw = RecordStream.single(line.index(), line.json());
        } catch (MalformedFileException e) {
            failures.accept(malformed(line, e));
            return null;
        }
        List<Defect> defects = new ArrayList<>(raw.defects());
        Sample sample = new RecordJson(mapping).read(raw.json(), defects::add).sample();
        List<Defect> fatal = defects.stream().filter(Defect::isFatal).toList();
        fatal.forEach(defect -> failures.accept(new Finding(RecordChecker.label(raw), defect)));
        return fatal.isEmpty() ? sample : null;
    }

    /** Returns the finding about a line that is not JSON. */
    static Finding malformed(Numbered line, MalformedFileException failure) {
        return new Finding("#" + line.index(), failure.defect());
    }

    @Override
    public Iterator<Sample> call(Numbered line) {
        Sample sample = parse(line, failure -> {});
        return sample == null ? Collections.emptyIterator() : List.of(sample).iterator();
    }
}
