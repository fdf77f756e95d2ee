package dev.prpf.spark;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.command.RecordsOptions;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.sets.SamplePrompts;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.sets.SftSet;
import dev.prpf.par.sets.SftSet.DataSftConfig;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings;
import dev.prpf.par.teacher.OfflineTeacher;
import dev.prpf.spark.InputOptions.LenientInputOptions;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs {@code data sft-set} over any number of samples, with the offline teacher and without a perceiver. */
@Command(
        name = "sft-set",
        description = "Make an SFT set of labelled samples: prompts and responses, reasoning included.",
        footer = {
            "",
            "Example:",
            "  prpf-spark sft-set --config configs/data-sft-set.yaml --data records --pool function_pool.json --out sft"
        })
final class SftJob extends SparkJob {
    private static final int SAMPLES = 256;
    /** Size of an executor's cache of texts on screenshots, in bytes. */
    private static final long CACHE_BYTES = 64L << 20;

    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Mixin
    private RecordsOptions records = new RecordsOptions();

    @Mixin
    private LenientInputOptions input = new LenientInputOptions();

    @Mixin
    private PoolOption pool = new PoolOption();

    @Option(names = "--images", paramLabel = "DIR", description = "Root of the image paths, for every executor.")
    private @Nullable String images;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "The set, as JSON Lines.")
    private String out = "";

    private record Summary(@Nullable String out, @JsonUnwrapped SftSet.Counts counts, String reasoning) {}

    private record Part(List<String> lines, SftSet.Counts counts) implements Serializable {
        static Part of(SftSet set) {
            return new Part(set.records().stream().map(SftRecords::line).toList(), set.counts());
        }
    }

    @Override
    ExitCode run(SparkSession spark) {
        DataSftConfig config = common.required(DataSftConfig.class, "data sft-set");
        OutputFolder.requireFree("--out", out, spark.sparkContext());
        JavaRDD<Sample> samples = input.samples(spark, records.data, new SampleParser(records.mapping()), true);
        JavaRDD<Part> parts = parts(samples, config.prompt(), config.set()).persist(StorageLevel.MEMORY_AND_DISK());
        if (parts.isEmpty()) {
            throw new InvalidDataException(records.data + ": holds no samples to make a set of");
        }
        SftSet.Counts counts = parts.map(Part::counts).reduce(SftSet.Counts::plus);
        counts.requireRecords(config.set());
        if (!common.dryRun) {
            parts.flatMap(part -> part.lines().iterator()).saveAsTextFile(out);
        }
        String reasoning = EnumName.of(config.prompt().reasoning());
        common.print(new Summary(common.dryRun ? null : out, counts, reasoning));
        return ExitCode.DONE;
    }

    private JavaRDD<Part> parts(JavaRDD<Sample> samples, PromptSettings prompt, SftSetSettings settings) {
        FunctionPool functions = pool.functions();
        ScenarioCatalog catalog = records.catalog(functions);
        String root = images;
        return samples.mapPartitions(partition -> {
            ScreenTexts screens = root == null ? ScreenTexts.none() : screens(root);
            PromptRenderer renderer = new PromptRenderer(prompt, catalog, screens);
            SamplePrompts prompts = new SamplePrompts(functions, catalog, renderer, settings);
            return batches(partition, SAMPLES)
                    .map(PerceivedSample::without)
                    .map(some -> Part.of(SftSet.part(some, prompts, settings, new OfflineTeacher(screens))))
                    .iterator();
        });
    }

    private static ScreenTexts screens(String images) {
        EncoderSettings reading = new EncoderSettings(
                EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS, ExecutorModels.cores(), Path.of(""), Path.of(images));
        return ExecutorModels.of(
                images,
                SampleEncoder.class,
                () -> SampleEncoder.openInMemory(reading, new StorePlace.Memory(CACHE_BYTES)))::screenText;
    }
}
