package dev.prpf.spark;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.spec.Precision;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.EmbeddingStore;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar encode --texts texts.jsonl --int8 \\",
            "      --out embeddings",
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar encode --data records --int8 \\",
            "      --out embeddings --store runs/store"
        })
final class EncodeJob extends SparkJob {
    /** Number of vectors written to the store at once. */
    private static final int STORED = 1024;

    @Mixin
    private EncodeInput input = new EncodeInput();

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "The vectors, as Parquet.")
    private String out = "";

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description = "Also put the vectors into this store on the driver's machine, where gate train finds them.")
    private @Nullable Path store;

    @Option(
            names = "--text-encoder",
            paramLabel = "NAME",
            description = "bge-small-zh-v1.5 (default), or dir:PATH: a model of your own, visible to every executor.")
    private String textEncoder = ShippedEncoders.DEFAULT;

    @Option(names = "--int8", description = "8-bit weights of bge-small-zh-v1.5: faster, cosine to 32-bit about 0.99.")
    private boolean int8;

    @Option(
            names = "--long-text",
            paramLabel = "RULE",
            defaultValue = "mean-of-windows",
            description =
                    "For texts beyond the encoder's tokens: truncate or mean-of-windows (default: ${DEFAULT-VALUE}).")
    private String longText = "mean-of-windows";

    @Option(
            names = "--threads",
            paramLabel = "N",
            description =
                    "Texts that an executor encodes at once (default: spark.executor.cores, or its machine's cores).")
    private int threads;

    @Mixin
    private JsonOption output = new JsonOption();

    private record Summary(long texts, String textEncoder, int width, String out, double seconds) {}

    @Override
    ExitCode run(SparkSession spark) {
        long start = System.nanoTime();
        input.requireUse();
        ExecutorEncoder.Choice choice = choice();
        EncoderSpec spec = choice.spec();
        OutputFolder.requireFree("--out", out, context(spark).hadoopConfiguration());
        JavaRDD<Row> rows = input.texts(spark).mapPartitions(new TextEncoding(choice));
        spark.createDataFrame(rows, TextEncoding.SCHEMA).write().parquet(out);
        Dataset<Row> written = spark.read().parquet(out);
        if (store != null) {
            store(written, store, choice.id(), spec.width());
        }
        double seconds = Math.round((System.nanoTime() - start) / 1e7) / 100.0;
        output.print(new Summary(written.count(), choice.id(), spec.width(), out, seconds));
        return ExitCode.DONE;
    }

    private ExecutorEncoder.Choice choice() {
        try {
            EncoderSpec.requireTextChoice(textEncoder);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
        if (int8 && !textEncoder.equals(ShippedEncoders.DEFAULT)) {
            throw new UsageException("--int8 goes with --text-encoder " + ShippedEncoders.DEFAULT
                    + ", the only encoder with 8-bit weights");
        }
        if (threads < 0) {
            throw new UsageException("--threads = " + threads + ", must be at least 1");
        }
        LongText rule = Arrays.stream(LongText.values())
                .filter(one -> one.label().equals(longText.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() ->
                        new UsageException("--long-text = " + longText + ", must be truncate or mean-of-windows"));
        return new ExecutorEncoder.Choice(textEncoder, int8 ? Precision.INT8 : Precision.FP32, rule, threads);
    }

    private static void store(Dataset<Row> written, Path folder, String encoder, int width) {
        try (EmbeddingStore<float[]> store = EmbeddingStore.ofVectors(folder, encoder, width)) {
            Map<ContentKey, float[]> some = new HashMap<>();
            for (Iterator<Row> rows = written.toLocalIterator(); rows.hasNext(); ) {
                Row row = rows.next();
                some.put(ContentKey.of(row.getString(1)), vector(row.getList(2)));
                if (some.size() == STORED || !rows.hasNext()) {
                    store.put(some);
                    some.clear();
                }
            }
        }
    }

    private static float[] vector(List<Float> components) {
        float[] vector = new float[components.size()];
        for (int i = 0; i < vector.length; i++) {
            vector[i] = components.get(i);
        }
        return vector;
    }
}
