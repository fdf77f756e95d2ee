package dev.prpf.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.Sample;
import dev.prpf.data.command.TextEncoderOptions;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.data.encode.ImageEncoderChoice;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.Finding;
import dev.prpf.data.io.RecordStream;
import dev.prpf.spark.EncodeJob.TextEncoding.Text;
import dev.prpf.spark.InputOptions.LenientInputOptions;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.ArrayUtils;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import scala.Tuple2;
import scala.collection.immutable.ArraySeq;

/** Runs {@code data encode} over any number of texts. */
@Command(
        name = "encode",
        description = {
            "Turn texts into vectors with a frozen encoder, which every executor loads once.",
            "Writes Parquet with the columns index, text and embedding, in the texts' order."
        },
        footer = {
            "",
            "Examples:",
            "  prpf-spark encode --texts texts.jsonl --int8 --out embeddings",
            "  prpf-spark encode --data records --int8 --out embeddings --store runs/store"
        })
final class EncodeJob extends SparkJob {
    private static final Logger LOG = LoggerFactory.getLogger(EncodeJob.class);
    /** Number of vectors written to the store at once. */
    private static final int STORED = 1024;

    /** Exactly one of the two inputs. */
    static final class Source {
        @Option(names = "--texts", required = true, paramLabel = "PATH", description = "Texts, or objects with text.")
        private @Nullable String texts;

        @Option(names = "--data", required = true, paramLabel = "PATH", description = "Samples; their texts, once.")
        private @Nullable String data;
    }

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    @Option(names = "--sentences", description = "With --data: sentences of profile, phone and world.")
    private boolean sentences;

    @Mixin
    private LenientInputOptions input = new LenientInputOptions();

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "The vectors, as Parquet.")
    private String out = "";

    @Option(names = "--store", paramLabel = "DIR", description = "Also fill this store on the driver's machine.")
    private @Nullable Path store;

    @Mixin
    private TextEncoderOptions encoder = new TextEncoderOptions();

    @Option(names = "--threads", paramLabel = "N", description = "Threads of an executor (default: its cores).")
    private int threads;

    @Mixin
    private JsonOption output = new JsonOption();

    private record Summary(long texts, String textEncoder, int width, String out, double seconds) {}

    @Override
    ExitCode run(SparkSession spark) {
        long start = System.nanoTime();
        if (sentences && source.data == null) {
            throw new UsageException("--sentences goes with --data; --texts are encoded whole");
        }
        EncoderSettings settings =
                encoder.settings(ImageEncoderChoice.DEFAULT, threads == 0 ? 1 : threads, Path.of(""), null);
        EncoderSpec spec = settings.textEncoderSpec();
        OutputFolder.requireFree("--out", out, spark.sparkContext());
        JavaRDD<Text> texts = source.data == null ? texts(spark) : textsOfSamples(spark, source.data);
        JavaRDD<Row> rows = texts.mapPartitions(
                new TextEncoding(settings.textEncoder(), settings.precision(), settings.longText(), threads));
        spark.createDataFrame(rows, StructType.fromDDL(TextEncoding.SCHEMA))
                .write()
                .parquet(out);
        Dataset<Row> written = spark.read().parquet(out);
        String id = spec.idOf(settings.precision(), settings.longText());
        if (store != null) {
            try (EmbeddingStore<float[]> open = EmbeddingStore.ofVectors(store, id, spec.width())) {
                batches(written.toLocalIterator(), STORED).forEach(some -> store(some, open));
            }
        }
        double seconds = Math.round((System.nanoTime() - start) / 1e7) / 100.0;
        output.print(new Summary(written.count(), id, spec.width(), out, seconds));
        return ExitCode.DONE;
    }

    private static void store(List<Row> rows, EmbeddingStore<float[]> store) {
        Map<ContentKey, float[]> vectors = new HashMap<>();
        for (Row row : rows) {
            List<Float> vector = row.getList(2);
            vectors.put(ContentKey.of(row.getString(1)), ArrayUtils.toPrimitive(vector.toArray(Float[]::new)));
        }
        store.put(vectors);
    }

    private JavaRDD<Text> texts(SparkSession spark) {
        String place = Objects.requireNonNull(source.texts, "one of two is given");
        JavaRDD<Numbered> lines = input.lines(spark, place, ParquetColumns.TEXTS);
        input.settle(lines, place, EncodeJob::text);
        return lines.flatMap(line -> Stream.ofNullable(text(line, failure -> {}))
                .map(text -> new Text(line.index(), text))
                .iterator());
    }

    /** Parses a line: a JSON string, or an object with {@code text}, such as a row of Parquet. */
    private static @Nullable String text(Numbered line, Consumer<Finding> failures) {
        RecordStream.RawRecord raw = line.raw(failures);
        JsonNode json = raw == null ? MissingNode.getInstance() : raw.json();
        JsonNode text = json.isObject() ? json.path("text") : json;
        if (raw != null && !text.isTextual()) {
            Defect defect = Defect.fatal("", "field-type", json, "is not a text: must be a JSON string");
            failures.accept(new Finding("#" + line.index(), defect));
        }
        return text.textValue();
    }

    /** Returns each text of all samples once, in the order of first use. */
    private JavaRDD<Text> textsOfSamples(SparkSession spark, String data) {
        JavaRDD<Sample> samples = input.samples(spark, data, new SampleParser(AnswersMapping.standard()), false);
        long withScreens = samples.filter(
                        sample -> !sample.trajectory().screenshots().isEmpty())
                .count();
        if (withScreens > 0) {
            LOG.warn(
                    "{}: {} samples have screenshots, which this job does not encode; use data encode for them",
                    data,
                    withScreens);
        }
        ContextUnit unit = sentences ? ContextUnit.SENTENCE : ContextUnit.TEXT;
        return samples.flatMap(sample -> SampleEncoder.texts(sample, unit).iterator())
                .zipWithIndex()
                .reduceByKey(Math::min)
                .mapToPair(Tuple2::swap)
                .sortByKey()
                .values()
                .zipWithIndex()
                .map(text -> new Text(text._2(), text._1()));
    }

    /** Encodes the texts of a partition in order, in batches; with 0 threads, on all cores of an executor. */
    record TextEncoding(String encoder, EncoderPrecision precision, LongText longText, int threads)
            implements FlatMapFunction<Iterator<TextEncoding.Text>, Row> {
        static final String SCHEMA = "index BIGINT NOT NULL, text STRING NOT NULL, embedding ARRAY<FLOAT> NOT NULL";

        private static final int TEXTS = 256;

        record Text(long index, String text) implements Serializable {}

        @Override
        public Iterator<Row> call(Iterator<Text> texts) {
            return SparkJob.batches(texts, TEXTS)
                    .flatMap(batch -> {
                        float[][] vectors =
                                open().encode(batch.stream().map(Text::text).toList());
                        return IntStream.range(0, vectors.length)
                                .mapToObj(i -> RowFactory.create(
                                        batch.get(i).index(),
                                        batch.get(i).text(),
                                        ArraySeq.unsafeWrapArray(vectors[i])));
                    })
                    .iterator();
        }

        OnnxTextEncoder open() {
            int used = threads > 0 ? threads : ExecutorModels.cores();
            return ExecutorModels.of(
                    this,
                    OnnxTextEncoder.class,
                    () -> new OnnxTextEncoder(
                            EncoderSpec.ofText(encoder),
                            new OnnxTextEncoder.Running(precision, longText, used, false)));
        }
    }
}
