package dev.prpf.mpp.command;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.SampleReader;
import dev.prpf.mpp.FoldPlan;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.SeedRun;
import dev.prpf.mpp.SplitRecord;
import dev.prpf.mpp.ThresholdRule;
import dev.prpf.mpp.TriggerThreshold;
import dev.prpf.mpp.TriggerThreshold.Constraint;
import dev.prpf.mpp.network.MppNetwork;
import dev.prpf.mpp.tables.PerceiverReport;
import dev.prpf.mpp.tables.PerceiverTables;
import dev.prpf.mpp.tables.TopKRange;
import dev.prpf.mpp.training.FoldTraining;
import dev.prpf.mpp.training.LabelledData;
import dev.prpf.mpp.training.SeedTraining;
import dev.prpf.mpp.training.TrainingJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf mpp train}. */
@Command(
        name = "train",
        description = "Train the perceiver; killed and started again, it goes on where it was.",
        footer = {
            "",
            "Example:",
            "  ./prpf mpp train --config configs/mpp.yaml --run-dir runs/mpp \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train",
            "  ./prpf mpp train --config configs/mpp.yaml --run-dir runs/mpp-seeds \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train \\",
            "      --test data/synth/test/benchmark_zh.json --test-images data/synth/test \\",
            "      --seeds 42,43,44,45,46"
        })
public final class TrainCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(TrainCommand.class);
    private static final String TABLES = "tables";

    @Mixin
    private RunOptions common;

    @Mixin
    private DataOptions input;

    @Option(
            names = "--pool",
            paramLabel = "FILE",
            description = "The function pool; every function must have a scenario (default: the shipped one).")
    private @Nullable Path pool;

    @Option(
            names = "--test",
            paramLabel = "FILE",
            description =
                    "Samples for the final figures, which nothing is fitted or chosen on (default: none; figures are"
                            + " over dev).")
    private @Nullable Path test;

    @Option(
            names = "--test-images",
            paramLabel = "DIR",
            description = "Root of the test samples' picture paths (default: --images).")
    private @Nullable Path testImages;

    @Option(
            names = "--seeds",
            paramLabel = "SEED",
            split = ",",
            description =
                    "Train once with each of these in place of the configuration's seed, and without each channel;"
                            + " then choose thresholds and write the tables (report.html).")
    private @Nullable List<Long> seeds;

    @Option(names = "--no-ablations", description = "With --seeds: leave out the networks without a channel.")
    private boolean noAblations;

    @Option(
            names = "--folds",
            paramLabel = "N",
            description =
                    "Train N perceivers, each on all but one fold of the data, so that every record has one that did"
                            + " not see it; for --mpp of data sft, par sft and data rollouts.")
    private @Nullable Integer folds;

    private @Nullable String tablesText;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        MppConfig config = StrictYaml.read(configFile(), MppConfig.class, common.overrides);
        MppNetwork.requireDevice(config.device());
        requireDistinctSeeds();
        requireAlone(folds);
        ScenarioCatalog catalog = input.catalog();
        FunctionPool functions = FunctionPoolReader.readOrShipped(pool);
        requireMapped(catalog, functions);
        Path directory = common.runDirectory("mpp-train");
        List<Sample> samples = SampleReader.readAll(input.data);
        LabelledData.requireBothClasses(input.data, samples);
        List<Sample> testSamples = test == null ? null : SampleReader.readAll(test);
        if (test != null && testSamples != null) {
            LabelledData.requireBothClasses(test, testSamples);
            SplitRecord.requireUnseenTest(samples, testSamples, sameImages());
            testSamples.forEach(settings(config, testFolder())::requirePictures);
        }
        samples.forEach(settings(config, input.images)::requirePictures);
        if (common.dryRun) {
            ResultStream.metrics(wouldDo(directory, config, samples), common.json);
            return 0;
        }
        Prepared prepared = prepare(config, catalog, functions, directory, samples);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("run", directory.toString());
        try (RunDirectory run = prepared.run()) {
            LabelledData scored = testSamples == null ? null : encodeTest(config, testSamples, catalog);
            if (folds != null) {
                result.putAll(trainFolds(config, folds, prepared));
            } else {
                result.putAll(
                        seeds == null
                                ? trainOne(config, prepared, scored, run)
                                : trainSeeds(config, seeds, prepared, scored));
            }
        }
        report(result);
        return 0;
    }

    /** What training needs, the encoders closed again. */
    private record Prepared(RunDescription description, RunDirectory run, TrainingJob job, LabelledData data) {}

    private Prepared prepare(
            MppConfig config, ScenarioCatalog catalog, FunctionPool functions, Path directory, List<Sample> samples) {
        try (SampleEncoder encoder = SampleEncoder.open(settings(config, input.images))) {
            RunDescription description = description(config, catalog, encoder);
            RunDirectory run = RunDirectory.open(directory, common.resume, description);
            if (run.finished()) {
                LOG.info("{} came to its end before; nothing is left to do but its results", directory);
            }
            TrainingJob.Encoders encoders =
                    new TrainingJob.Encoders(encoder.textEncoderId(), encoder.frameEncoderId(), encoder.width());
            return new Prepared(
                    description,
                    run,
                    new TrainingJob(catalog, functions, encoders),
                    LabelledData.encode(
                            samples, encoder, catalog, config.network().contextUnit()));
        }
    }

    private Path configFile() {
        if (common.config == null) {
            throw new UsageException("mpp train needs --config; the paper's values are in configs/mpp.yaml");
        }
        return common.config;
    }

    private void requireDistinctSeeds() {
        if (seeds != null && new LinkedHashSet<>(seeds).size() < seeds.size()) {
            throw new UsageException("--seeds = " + seeds + ": a seed stands twice");
        }
        if (seeds == null && noAblations) {
            throw new UsageException("--no-ablations goes with --seeds; without, no ablation is trained");
        }
        if (test == null && testImages != null) {
            throw new UsageException("--test-images = " + testImages + " goes with --test, which is missing");
        }
    }

    private void requireAlone(@Nullable Integer parts) {
        if (parts == null) {
            return;
        }
        if (parts < 2) {
            throw new UsageException("--folds = " + parts + ", must be at least 2");
        }
        if (seeds != null || test != null) {
            throw new UsageException(
                    "--folds goes without --seeds and --test: each fold is the test split of the perceiver"
                            + " that did not see it");
        }
    }

    private Map<String, Object> wouldDo(Path directory, MppConfig config, List<Sample> samples) {
        Map<String, Object> would = new LinkedHashMap<>();
        would.put("run", directory.toString());
        would.put("samples", samples.size());
        would.put("would", "encode and train");
        would.put(
                "trainings",
                folds != null
                        ? folds
                        : seeds == null
                                ? 1
                                : SeedRun.plan(config, seeds, !noAblations).size());
        return would;
    }

    /** Whether a picture's path means the same file in both sets. */
    private boolean sameImages() {
        if (testImages == null || input.images == null) {
            return testImages == null;
        }
        try {
            return Files.isSameFile(testImages, input.images);
        } catch (IOException missing) {
            return false; // named with its first picture
        }
    }

    private @Nullable Path testFolder() {
        return testImages == null ? input.images : testImages;
    }

    private EncoderSettings settings(MppConfig config, @Nullable Path images) {
        return config.encoder().settings(input.store, images);
    }

    private LabelledData encodeTest(MppConfig config, List<Sample> samples, ScenarioCatalog catalog) {
        try (SampleEncoder encoder = SampleEncoder.open(settings(config, testFolder()))) {
            return LabelledData.encode(
                    samples, encoder, catalog, config.network().contextUnit());
        }
    }

    private static Map<String, Object> trainOne(
            MppConfig config, Prepared prepared, @Nullable LabelledData scored, RunDirectory run) {
        try (StopSignal signal = StopSignal.install()) {
            return prepared.job().run(config, prepared.data(), scored, run, signal);
        }
    }

    private Map<String, Object> trainSeeds(
            MppConfig config, List<Long> chosen, Prepared prepared, @Nullable LabelledData scored) {
        List<SeedRun> runs = SeedRun.plan(config, chosen, !noAblations);
        RunDirectory common = prepared.run();
        new SeedTraining(prepared.job(), config, runs).train(prepared.data(), scored, common, prepared.description());
        TopKRange range = TopKRange.paper(prepared.job().catalog().size());
        PerceiverTables tables = PerceiverTables.ofSeeds(common.path(), runs, thresholds(config, runs, common), range);
        PerceiverReport report = new PerceiverReport(tables);
        report.write(common.path());
        tablesText = report.text();
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("trainings", runs.size());
        result.put(TABLES, tables.json());
        result.put("report", PerceiverReport.file(common.path()).toString());
        common.finish(result);
        return result;
    }

    private static Map<String, Object> trainFolds(MppConfig config, int parts, Prepared prepared) {
        FoldPlan plan = FoldPlan.of(prepared.data().samples(), parts, config.seed());
        RunDirectory common = prepared.run();
        new FoldTraining(prepared.job(), config, plan).train(prepared.data(), common, prepared.description());
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("folds", plan.folds());
        result.put("samples", prepared.data().samples().size());
        common.finish(result);
        return result;
    }

    /** Of a finished training those that its runs have, which {@code mpp sweep} may have chosen; else by the configuration's rule. */
    private static List<TriggerThreshold> thresholds(MppConfig config, List<SeedRun> runs, RunDirectory common) {
        List<Path> directories =
                runs.stream().map(one -> common.path().resolve(one.path())).toList();
        if (common.finished() && directories.stream().allMatch(TriggerThreshold::exists)) {
            return directories.stream().map(TriggerThreshold::load).toList();
        }
        ThresholdRule rule = new ThresholdRule.OnDev(
                new Constraint.MinRecall(config.threshold().minRecall()));
        return directories.stream().map(rule::apply).toList();
    }

    private static void requireMapped(ScenarioCatalog catalog, FunctionPool functions) {
        List<String> missing = catalog.missing(functions);
        if (!missing.isEmpty()) {
            throw new InvalidDataException("the scenario file maps no scenario to " + missing.size()
                    + " functions of the pool, the first are "
                    + missing.subList(0, Math.min(5, missing.size()))
                    + "; add them to its \"functions\"");
        }
    }

    private RunDescription description(MppConfig config, ScenarioCatalog catalog, SampleEncoder encoder) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("data", Map.of("sha256", AtomicFiles.sha256(input.data)));
        facts.putAll(settings(config, input.images).pictureFacts("pictures_sha256", input.data));
        if (test != null) {
            facts.putAll(settings(config, testFolder()).pictureFacts("test_pictures_sha256", test));
        }
        facts.put("test_sha256", test == null ? "none" : AtomicFiles.sha256(test));
        facts.put("pool_sha256", pool == null ? "shipped" : AtomicFiles.sha256(pool));
        facts.put("scenarios_sha256", input.scenarios == null ? "shipped" : AtomicFiles.sha256(input.scenarios));
        facts.put("seeds", seeds == null ? List.of(config.seed()) : seeds);
        facts.put("ablations", seeds != null && !noAblations);
        if (folds != null) {
            facts.put("folds", folds);
        }
        facts.put("text_encoder", encoder.textEncoderId());
        facts.put("frame_encoder", encoder.frameEncoderId());
        facts.put("scenarios", catalog.names());
        facts.put("device", MppNetwork.device());
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        return new RunDescription("mpp train", arguments, StrictYaml.write(config), facts);
    }

    private void report(Map<String, ?> result) {
        if (common.json || tablesText == null) {
            ResultStream.metrics(result, common.json);
            return;
        }
        Map<String, Object> figures = new LinkedHashMap<>(result);
        figures.remove(TABLES);
        ResultStream.metrics(figures, false);
        ResultStream.line(tablesText);
    }
}
