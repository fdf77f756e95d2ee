package dev.prpf.spark;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.Finding;
import dev.prpf.data.io.RecordChecker;
import dev.prpf.data.io.RecordJson;
import dev.prpf.data.io.RecordStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** Reads samples in tasks. */
record SampleParser(AnswersMapping mapping) implements Serializable {
    /** Returns the sample of a line; null, after reporting each fatal defect, if there is one. */
    @Nullable
    Sample parse(Numbered line, Consumer<Finding> failures) {
        RecordStream.RawRecord raw = line.raw(failures);
        if (raw == null) {
            return null;
        }
        List<Defect> defects = new ArrayList<>(raw.defects());
        Sample sample = new RecordJson(mapping).read(raw.json(), defects::add).sample();
        defects.removeIf(defect -> !defect.isFatal());
        defects.forEach(defect -> failures.accept(new Finding(RecordChecker.label(raw), defect)));
        return defects.isEmpty() ? sample : null;
    }

    Sample checked(Numbered line) {
        return Objects.requireNonNull(parse(line, failure -> {}));
    }

    /** Returns the sample of a line, or nothing if the line is not a sample. */
    Stream<Sample> readable(Numbered line) {
        return Stream.ofNullable(parse(line, failure -> {}));
    }

    /** Returns the first two records of each id that several records have. */
    static JavaPairRDD<String, List<Long>> duplicates(JavaPairRDD<String, Long> ids) {
        return ids.mapValues(List::of)
                .reduceByKey((a, b) ->
                        Stream.concat(a.stream(), b.stream()).sorted().limit(2).toList())
                .filter(id -> id._2().size() > 1);
    }

    /** Ends with 65, naming both, if two samples have one id. */
    void requireUnique(JavaRDD<Numbered> lines, String source) {
        JavaPairRDD<String, Long> ids = lines.flatMapToPair(line -> readable(line)
                .map(sample -> new Tuple2<>(sample.id(), line.index()))
                .iterator());
        Problem.requireNone(duplicates(ids)
                .map(id -> new Problem(
                        id._2().get(1),
                        source + ": record " + id._2().get(1) + ", at /benchmark_metadata/id: \"" + id._1()
                                + "\" is the id of record " + id._2().get(0) + " already, ids must be unique")));
    }

    /** A reason to reject the record at an index. The job reports the first by index, independent of task order. */
    record Problem(long index, String message) implements Serializable, Comparable<Problem> {
        /** Returns the problem if {@code reading} fails, else nothing. */
        static Iterator<Problem> of(long index, Runnable reading) {
            try {
                reading.run();
                return Collections.emptyIterator();
            } catch (InvalidDataException e) {
                return List.of(new Problem(index, String.valueOf(e.getMessage())))
                        .iterator();
            }
        }

        /** Ends with 65 and the first problem, if there are any. */
        static void requireNone(JavaRDD<Problem> problems) {
            problems.takeOrdered(1).forEach(first -> {
                throw new InvalidDataException(first.message());
            });
        }

        @Override
        public int compareTo(Problem other) {
            return Long.compare(index, other.index);
        }
    }
}
