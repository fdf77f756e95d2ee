package dev.prpf.spark;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.Sample;
import dev.prpf.data.check.Finding;
import dev.prpf.data.encode.ContextUnit;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.MalformedFileException;
import dev.prpf.data.io.RecordStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import scala.Tuple2;

/** Options of {@code encode}'s input: texts, or the distinct texts of samples; a mixin. */
final class EncodeInput {
    private static final Logger LOG = LoggerFactory.getLogger(EncodeInput.class);

    /** Exactly one of the two inputs. */
    static final class Source {
        @Option(
                names = "--texts",
                required = true,
                paramLabel = "PATH",
                description = "JSON Lines, each a JSON string or an object with text, or Parquet with a column text;"
                        + " a file, a folder or a pattern.")
        private @Nullable String texts;

        @Option(
                names = "--data",
                required = true,
                paramLabel = "PATH",
                description = "Samples: JSON Lines or Parquet. Each text of profile, phone, world and trace is encoded"
                        + " once; screenshots are not.")
        private @Nullable String data;
    }

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    @Option(
            names = "--sentences",
            description = "With --data: each sentence of profile, phone and world, as a perceiver with"
                    + " network.context-sentences encodes them, instead of the whole texts.")
    private boolean sentences;

    @Mixin
    private PartitionsOption partitions = new PartitionsOption();

    @Mixin
    private FailedRecords failures = new FailedRecords();

    /** @throws dev.prpf.base.error.PrpfException 2 if the options contradict each other */
    void requireUse() {
        if (sentences && source.data == null) {
            throw new UsageException("--sentences goes with --data; --texts are encoded whole");
        }
    }

    /** Returns the numbered texts: the given ones in order, or those of samples in order of first use. */
    JavaRDD<TextEncoding.Text> texts(SparkSession spark) {
        if (source.data != null) {
            return ofSamples(spark, source.data);
        }
        String texts = Objects.requireNonNull(source.texts, "one of two is given");
        JavaRDD<Numbered> lines = Lines.of(spark, texts, ParquetColumns.TEXTS, partitions.minimum());
        failures.requireFree(lines);
        failures.settle(lines, EncodeInput::text, texts);
        return lines.flatMap(line -> some(text(line, failure -> {})));
    }

    private JavaRDD<TextEncoding.Text> ofSamples(SparkSession spark, String data) {
        JavaRDD<Numbered> lines = Lines.of(spark, data, ParquetColumns.RECORDS, partitions.minimum());
        failures.requireFree(lines);
        SampleParser parser = new SampleParser(AnswersMapping.standard());
        failures.settle(lines, parser::parse, data);
        long withScreens = lines.flatMap(parser)
                .filter(sample -> !sample.trajectory().screenshots().isEmpty())
                .count();
        if (withScreens > 0) {
            LOG.warn(
                    "{}: {} samples have screenshots, which this job does not encode; use data encode for them",
                    data,
                    withScreens);
        }
        ContextUnit unit = sentences ? ContextUnit.SENTENCE : ContextUnit.TEXT;
        return lines.flatMapToPair(line -> placed(line, parser, unit))
                .reduceByKey((a, b) -> a.compareTo(b) <= 0 ? a : b)
                .mapToPair(Tuple2::swap)
                .sortByKey()
                .values()
                .zipWithIndex()
                .map(text -> new TextEncoding.Text(text._2(), text._1()));
    }

    private static Iterator<Tuple2<String, Place>> placed(Numbered line, SampleParser parser, ContextUnit unit) {
        List<Tuple2<String, Place>> texts = new ArrayList<>();
        Sample sample = parser.parse(line, failure -> {});
        if (sample != null) {
            SampleEncoder.texts(sample, unit)
                    .forEach(text -> texts.add(new Tuple2<>(text, new Place(line.index(), texts.size()))));
        }
        return texts.iterator();
    }

    private static <T> Iterator<T> some(@Nullable T one) {
        return one == null ? Collections.emptyIterator() : List.of(one).iterator();
    }

    /** Parses a line: a JSON string, or an object with {@code text}, such as a row of Parquet. */
    private static TextEncoding.@Nullable Text text(Numbered line, Consumer<Finding> failures) {
        try {
            JsonNode json = RecordStream.single(line.index(), line.json()).json();
            JsonNode text = json.isObject() ? json.path("text") : json;
            if (text.isTextual()) {
                return new TextEncoding.Text(line.index(), text.textValue());
            }
            Defect defect = Defect.fatal("", "field-type", json, "is not a text: must be a JSON string");
            failures.accept(new Finding("#" + line.index(), defect));
        } catch (MalformedFileException e) {
            failures.accept(SampleParser.malformed(line, e));
        }
        return null;
    }
}
