package dev.prpf.mpp.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.io.SampleReader;
import dev.prpf.mpp.command.PredictCommand.DataOptions;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.split.FoldPlan;
import dev.prpf.mpp.split.SplitRecord;
import dev.prpf.mpp.tables.MemberTable;
import dev.prpf.mpp.tables.PerceiverReport;
import dev.prpf.mpp.tables.PerceiverTables;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.training.EnsembleConfig;
import dev.prpf.mpp.training.EnsembleData;
import dev.prpf.mpp.training.EnsembleJob;
import dev.prpf.mpp.training.EnsembleRun;
import dev.prpf.mpp.training.GateTrainingConfig;
import dev.prpf.mpp.training.LabelledData;
import dev.prpf.mpp.training.MppConfig;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.SeedPlan;
import dev.prpf.mpp.training.TrainedRun;
import dev.prpf.mpp.training.TrainingJob;
import dev.prpf.mpp.training.TrainingSeries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Implements the command {@code prpf gate train}. */
@Command(
        name = "train",
        description = "Train the perceiver; started again after a kill, it resumes from the last checkpoint.",
        footer = {
            "  ./prpf gate train --config configs/gate.yaml --run-dir runs/gate \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train",
            "  ./prpf gate train --config configs/gate.yaml --run-dir runs/gate-seeds \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train \\",
            "      --test data/synth/test/benchmark_zh.json --test-images data/synth/test \\",
            "      --seeds 42,43,44,45,46",
            "  ./prpf gate train --ensemble --config configs/gate-ensemble.yaml --run-dir runs/gate \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train"
        })
public final class GateTrainCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(GateTrainCommand.class);

    @Mixin
    private RunOptions common;

    @Mixin
    private DataOptions input;

    @Mixin
    private PoolOption pool;

    @Option(
            names = "--test",
            paramLabel = "FILE",
            description =
                    "Samples for the final metrics only, never for fitting or choosing (default: none; metrics are over"
                            + " dev).")
    private @Nullable Path test;

    @Option(
            names = "--test-images",
            paramLabel = "DIR",
            description = "Root of the test samples' image paths (default: --images).")
    private @Nullable Path testImages;

    @Option(
            names = "--seeds",
            paramLabel = "SEED",
            split = ",",
            description =
                    "Train once with each of these in place of the configuration's seed, and without each channel; then"
                            + " choose thresholds and write the tables (report.html).")
    private @Nullable List<Long> seeds;

    @Option(names = "--no-ablations", description = "With --seeds: leave out the networks without a channel.")
    private boolean noAblations;

    @Option(
            names = "--folds",
            paramLabel = "N",
            description =
                    "Train N perceivers, each on all but one fold of the data, so that every record has a perceiver"
                            + " that did not see it; for --gate of data sft-set, reasoner sft and data rollout-set.")
    private @Nullable Integer folds;

    @Option(
            names = "--ensemble",
            description =
                    "Train an ensemble: regressions on the vectors of several text encoders and on TF-IDF, and the"
                            + " perceiver, weighted by their scores on held-out folds. Needs an ensemble configuration,"
                            + " such as configs/gate-ensemble.yaml.")
    private boolean ensemble;

    /** The content of the input files, checked before encoding. */
    private record Input(
            GateTrainingConfig config,
            ScenarioCatalog catalog,
            FunctionPool pool,
            Path directory,
            List<Sample> samples,
            @Nullable List<Sample> test) {
        /** Returns an input with the test samples as data; null without test samples. */
        @Nullable
        Input tested() {
            return test == null ? null : new Input(config, catalog, pool, directory, test, null);
        }
    }

    @Override
    public void run() {
        requireConsistentOptions();
        Input read = read();
        if (common.dryRun) {
            common.print(wouldDo(read));
            return;
        }
        if (read.config() instanceof EnsembleConfig config) {
            trainEnsemble(read, config);
        } else {
            trainPerceivers(read, (MppConfig) read.config());
        }
    }

    private void trainPerceivers(Input read, MppConfig config) {
        SampleEncoder encoder = SampleEncoder.open(settings(config, input.images));
        RunDescription description;
        TrainingJob job;
        try (encoder) {
            description = description(read, config, encoder, Map.of());
            job = job(read, encoder);
        }
        try (StopSignal signal = StopSignal.install();
                RunDirectory run = RunDirectory.open(read.directory(), common.resume, description)) {
            if (run.finished()) {
                LOG.info("{} is finished; only its results are written again", run.path());
            }
            LabelledData data = encode(read, config, input.images, signal);
            Input tested = read.tested();
            LabelledData test = tested == null ? null : encode(tested, config, testFolder(), signal);
            TrainingSeries series = new TrainingSeries(job, run, description, signal);
            if (folds != null) {
                trainFolds(read, config, data, series);
            } else if (seeds != null) {
                trainSeeds(config, data, test, series);
            } else {
                print(run.path(), job.run(config, data, test, run, signal));
            }
        }
    }

    private static TrainingJob job(Input read, SampleEncoder encoder) {
        return new TrainingJob(
                read.catalog(), read.pool(), encoder.textEncoderId(), encoder.imageEncoderId(), encoder.width());
    }

    private void trainEnsemble(Input read, EnsembleConfig config) {
        RunDescription description;
        EnsembleJob job;
        try (SampleEncoders encoders = new SampleEncoders(settings(config, input.images), SampleEncoder::open)) {
            List<String> ids = config.linearEncoders(encoders.settings()).stream()
                    .map(settings -> encoders.of(settings).textEncoderId())
                    .toList(); // fails early if an encoder is missing
            TrainingJob perceiver = config.perceiver() == null ? null : job(read, encoders.first());
            job = new EnsembleJob(config, read.catalog(), read.pool(), ids, perceiver);
            description = description(read, config, encoders.first(), Map.of("text_encoders", ids));
        }
        try (StopSignal signal = StopSignal.install();
                RunDirectory run = RunDirectory.open(read.directory(), common.resume, description)) {
            Input tested = read.tested();
            EnsembleData data = encode(read, config, input.images, signal);
            EnsembleData test = tested == null ? null : encode(tested, config, testFolder(), signal);
            EnsembleJob.Result result = job.run(data, test, new EnsembleJob.Place(run, description, signal));
            if (common.json) {
                print(run.path(), result);
            } else {
                print(run.path(), result.counts());
                ResultStream.line(
                        MemberTable.of(new EnsembleRun(run.path()).files().readDescription())
                                .toText());
            }
        }
    }

    private Input read() {
        if (common.config == null) {
            throw new UsageException("gate train needs --config; the paper's values are in configs/gate.yaml, those"
                    + " of an ensemble in configs/gate-ensemble.yaml");
        }
        GateTrainingConfig config = ensemble
                ? StrictYaml.read(common.config, EnsembleConfig.class, common.overrides)
                : StrictYaml.read(common.config, MppConfig.class, common.overrides);
        Device.require(config.device());
        FunctionPool functions = pool.functions();
        ScenarioCatalog catalog = input.catalog(functions);
        requireMapped(catalog, functions, input.scenarios);
        List<Sample> samples = SampleReader.readAll(input.data);
        LabelledData.requireBothClasses(input.data, samples);
        List<Sample> testSamples = test == null ? null : SampleReader.readAll(test);
        if (test != null && testSamples != null) {
            LabelledData.requireBothClasses(test, testSamples);
            SplitRecord.requireUnseenTest(samples, testSamples, sameImages());
            testSamples.forEach(settings(config, testFolder())::requireImages);
        }
        samples.forEach(settings(config, input.images)::requireImages);
        return new Input(config, catalog, functions, common.runDirectory("gate-train"), samples, testSamples);
    }

    private void requireConsistentOptions() {
        if (seeds != null && new LinkedHashSet<>(seeds).size() < seeds.size()) {
            throw new UsageException("--seeds = " + seeds + ": duplicate seed");
        }
        if (seeds == null && noAblations) {
            throw new UsageException("--no-ablations goes with --seeds; without --seeds no ablation is trained");
        }
        if (test == null && testImages != null) {
            throw new UsageException("--test-images = " + testImages + " goes with --test, which is missing");
        }
        if (ensemble && (folds != null || seeds != null)) {
            throw new UsageException("--ensemble goes without --folds and --seeds: its folds are set in the"
                    + " configuration (keys folds and seed)");
        }
        if (folds != null && folds < 2) {
            throw new UsageException("--folds = " + folds + ", must be at least 2");
        }
        if (folds != null && (seeds != null || test != null)) {
            throw new UsageException(
                    "--folds goes without --seeds and --test: each fold is the test split of the perceiver"
                            + " that did not see it");
        }
    }

    private record WouldDo(String run, int samples, String would, int trainings) {}

    private WouldDo wouldDo(Input read) {
        int trainings = folds != null
                ? folds
                : seeds == null || !(read.config() instanceof MppConfig config)
                        ? 1
                        : SeedPlan.of(config, seeds, !noAblations).runs().size();
        return new WouldDo(read.directory().toString(), read.samples().size(), "encode and train", trainings);
    }

    /** Returns whether an image path names the same file in both sets. */
    private boolean sameImages() {
        if (testImages == null || input.images == null) {
            return testImages == null;
        }
        try {
            return Files.isSameFile(testImages, input.images);
        } catch (IOException missing) {
            return false; // reported with its first image
        }
    }

    private @Nullable Path testFolder() {
        return testImages == null ? input.images : testImages;
    }

    private EncoderSettings settings(GateTrainingConfig config, @Nullable Path images) {
        return config.encoders(input.store, images);
    }

    private LabelledData encode(Input read, MppConfig config, @Nullable Path images, StopSignal signal) {
        try (SampleEncoder encoder = SampleEncoder.open(settings(config, images), signal)) {
            return new LabelledData(
                    read.samples(),
                    encoder.encode(
                            read.samples(), read.catalog(), config.network().contextUnit()));
        }
    }

    private EnsembleData encode(Input read, EnsembleConfig config, @Nullable Path images, StopSignal signal) {
        try (SampleEncoders encoders =
                new SampleEncoders(settings(config, images), one -> SampleEncoder.open(one, signal))) {
            return EnsembleData.of(read.samples(), read.catalog(), config, encoders);
        }
    }

    private record Trained(String run, @JsonUnwrapped Object result) {}

    /** The result of a training over seeds; without {@code --json} the tables are printed as text. */
    private record TrainedSeeds(
            int trainings,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable PerceiverTables tables,
            String report) {}

    private record TrainedFolds(int folds, int samples) {}

    private void print(Path run, Object result) {
        common.print(new Trained(run.toString(), result));
    }

    private void trainSeeds(MppConfig config, LabelledData data, @Nullable LabelledData scored, TrainingSeries series) {
        RunDirectory run = series.common();
        MppRun.Seeds files = new MppRun.Seeds(run.path());
        SeedPlan plan = SeedPlan.of(config, Objects.requireNonNull(seeds), !noAblations);
        series.train(plan, config, data, scored);
        List<TrainedRun> runs = files.runs();
        // gate sweep may have chosen thresholds of a finished training by another rule.
        boolean chosenBefore = run.finished() && runs.stream().allMatch(TrainedRun::hasThreshold);
        ThresholdRule rule = config.threshold();
        List<TriggerThreshold> thresholds = runs.stream()
                .map(one -> chosenBefore ? one.threshold() : one.choose(rule))
                .toList();
        PerceiverReport report = PerceiverReport.write(files, thresholds, null);
        int trainings = plan.runs().size();
        String page = PerceiverReport.file(run.path()).toString();
        run.finish(new TrainedSeeds(trainings, report.tables(), page));
        print(run.path(), new TrainedSeeds(trainings, common.json ? report.tables() : null, page));
        if (!common.json) {
            ResultStream.line(report.text());
        }
    }

    private void trainFolds(Input read, MppConfig config, LabelledData data, TrainingSeries series) {
        FoldPlan plan = FoldPlan.of(read.samples(), Objects.requireNonNull(folds), config.seed());
        series.train(plan, config, data);
        TrainedFolds result = new TrainedFolds(plan.folds(), read.samples().size());
        series.common().finish(result);
        print(series.common().path(), result);
    }

    private static void requireMapped(ScenarioCatalog catalog, FunctionPool functions, @Nullable Path scenarios) {
        List<String> missing = catalog.missing(functions);
        if (!missing.isEmpty()) {
            throw new InvalidDataException("--scenarios " + scenarios + ": has no scenario for " + missing.size()
                    + " functions of the pool, the first are "
                    + missing.subList(0, Math.min(5, missing.size()))
                    + "; add them to its \"functions\"");
        }
    }

    /** Returns the facts that must be unchanged when a run resumes. */
    private <C extends Record & GateTrainingConfig> RunDescription description(
            Input read, C config, SampleEncoder encoder, Map<String, Object> own) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("data", Map.of("sha256", AtomicFiles.sha256(input.data)));
        facts.putAll(settings(config, input.images).imageFacts("images_sha256", input.data));
        if (test != null) {
            facts.putAll(settings(config, testFolder()).imageFacts("test_images_sha256", test));
        }
        facts.put("test_sha256", test == null ? "none" : AtomicFiles.sha256(test));
        facts.put("pool_sha256", pool.poolSha256());
        facts.put("scenarios_sha256", PoolOption.sha256(input.scenarios));
        facts.put("seeds", seeds == null ? List.of(config.seed()) : seeds);
        facts.put("ablations", seeds != null && !noAblations);
        if (folds != null) {
            facts.put("folds", folds);
        }
        facts.putAll(own);
        facts.put("text_encoder", encoder.textEncoderId());
        facts.put("frame_encoder", encoder.imageEncoderId());
        facts.put("scenarios", read.catalog().names());
        facts.put("device", Device.current().label());
        return new RunDescription("gate train", common.arguments(), StrictYaml.write(config), facts);
    }
}
