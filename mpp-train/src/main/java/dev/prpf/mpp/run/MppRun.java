package dev.prpf.mpp.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.SvgFile;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.calibration.FittedCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.perceive.LabelledPerception;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.perceive.MppPerceiver;
import dev.prpf.mpp.split.FoldPlan;
import dev.prpf.mpp.split.Split;
import dev.prpf.mpp.split.SplitRecord;
import dev.prpf.mpp.threshold.LearnThenTest;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a perceiver's training. Only this class names, reads, writes and checks its files.
 *
 * <ul>
 *   <li>of one perceiver: {@code config.resolved.yaml}, {@code best/step_N} (the weights, see {@link MppModel}), {@code calibration.json}
 *       (fitted on those weights), {@code threshold.json} with {@code .csv} and {@code .svg} (chosen with them), {@code split.jsonl}, {@code
 *       dev-samples.json}, {@code pool.json}. Answers of the weights: {@code dev.jsonl}, {@code calibration.jsonl}, {@code test.jsonl};
 *   <li>of an ensemble: these files, with {@code ensemble/} in place of {@code best/}, see {@link EnsembleRun};
 *   <li>of several: {@code seeds.json} or {@code folds.jsonl}, and a directory of the first kind for each.
 * </ul>
 *
 * A checkpoint directory is accepted as a run of one perceiver.
 *
 * @param path of the directory, which need not exist yet
 */
public record MppRun(Path path) {
    private static final String BEST = "best";
    private static final int KEPT_BESTS = 2;
    private static final String THRESHOLD = "threshold.json";
    private static final String SPLIT = "split.jsonl";
    private static final String DEV_SAMPLES = "dev-samples.json";
    private static final String POOL = "pool.json";
    private static final String SEEDS = "seeds.json";
    private static final String FOLDS = "folds.jsonl";
    private static final RecordLines<SplitRecord.Entry> SPLIT_LINES =
            new RecordLines<>(SplitRecord.Entry.class, "split entry");
    private static final RecordLines<FoldPlan.Entry> FOLD_LINES = new RecordLines<>(FoldPlan.Entry.class, "fold entry");
    private static final RecordLines<LabelledPerception> PERCEPTION_LINES =
            new RecordLines<>(LabelledPerception.class, "labelled perception");

    /** The configuration that the run was trained with. */
    public MppConfig config() {
        Path file = path.resolve(RunCalibration.CONFIG);
        return StrictYaml.readText(
                file.toString(),
                IoFailure.whileReading(file, () -> Files.readString(file)),
                MppConfig.class,
                List.of());
    }

    /** The configuration that the run was trained with, of an ensemble or of one perceiver. */
    public TrainingConfig training() {
        return isEnsemble() ? ensemble().config() : config();
    }

    // The perceiver: best/step_N and calibration.json, or an ensemble.

    /** Returns whether the directory holds a training of an ensemble. */
    public boolean isEnsemble() {
        return ensemble().exists();
    }

    /** Returns the files that only a training of an ensemble has. */
    public EnsembleRun ensemble() {
        return new EnsembleRun(path);
    }

    /** Returns the store of the best epochs' checkpoints. */
    public CheckpointStore bests() {
        return new CheckpointStore(path.resolve(BEST), KEPT_BESTS);
    }

    /** Returns the best epoch's checkpoint of a step. */
    public Path best(long step) {
        return path.resolve(BEST).resolve("step_" + step);
    }

    /**
     * Reads the best epoch of a training that has just ended, by its step, without calibration.
     *
     * @throws PrpfException 65 if the checkpoint is damaged; an older one would not be dev's choice
     */
    public MppModel uncalibrated(long step) {
        String defect = CheckpointStore.defect(best(step));
        if (defect != null) {
            throw new InvalidDataException(best(step) + ": is not a complete checkpoint: " + defect
                    + "; it was the best epoch, so the training's result is lost; train again with another --run-dir");
        }
        return MppModel.read(best(step), new ProbabilityCalibration.None());
    }

    /**
     * @throws PrpfException 69 if there is no trained perceiver. 65 if its files are damaged or written by another program or version, or the
     *     calibration belongs to other weights
     */
    public MppModel model() {
        Path checkpoint = checkpoint();
        return MppModel.read(checkpoint, RunCalibration.of(path, checkpoint));
    }

    Path checkpoint() {
        if (MppModel.isCheckpoint(path)) {
            return path;
        }
        requireOne();
        if (isEnsemble()) {
            throw new UnavailableException(
                    path + ": holds an ensemble, but a single perceiver is needed; name the ensemble's: "
                            + ensemble().perceiver().path());
        }
        CheckpointStore.Checkpoint best = bests().latest();
        if (best == null) {
            if (Files.isRegularFile(path.resolve(BEST).resolve("latest"))) {
                throw new InvalidDataException(
                        path.resolve(BEST) + ": every checkpoint in it is damaged; train again with another --run-dir");
            }
            throw new UnavailableException(path + ": holds no trained perceiver (neither " + MppModel.DESCRIPTION
                    + " nor a complete checkpoint in " + BEST + "/); make one with `prpf mpp train --run-dir " + path
                    + "`");
        }
        return best.directory();
    }

    /**
     * Returns the frozen encoder of the training, with the paths that a command line names.
     *
     * @param images root of the samples' image paths; null if no sample has images
     */
    public EncoderSettings encoder(Path store, @Nullable Path images) {
        return training().encoders(store, images);
    }

    /**
     * Opens the trained perceiver; does not own the encoders.
     *
     * @param encoders the first is the encoder of the training; an ensemble opens its own
     * @throws PrpfException see {@link #model}. 78 if the encoder or the catalogue differ from those of the training. 69 if an ensemble's
     *     encoder is missing
     */
    public Perceiver perceiver(SampleEncoders encoders, ScenarioCatalog catalog) {
        if (isEnsemble()) {
            return ensemble().perceiver(encoders, catalog);
        }
        return perceiver(
                List.of(this), models -> new MppPerceiver("mpp", models, sample -> 0, encoders.first(), catalog));
    }

    /**
     * Opens the perceiver for a reasoner's training records. With folds, each record goes to the network that did not see it; otherwise this
     * is {@link #perceiver}.
     */
    public Perceiver perceiverForTraining(SampleEncoders encoders, ScenarioCatalog catalog) {
        if (!isOfFolds()) {
            return perceiver(encoders, catalog);
        }
        FoldPlan plan = folds();
        String kind = "mpp of " + plan.folds() + " folds";
        return perceiver(
                runsOf(plan), models -> new MppPerceiver(kind, models, plan::foldOf, encoders.first(), catalog));
    }

    private static Perceiver perceiver(List<MppRun> runs, Function<List<MppModel>, Perceiver> of) {
        List<MppModel> models = new ArrayList<>();
        try {
            runs.forEach(run -> models.add(run.model()));
            return of.apply(models);
        } catch (RuntimeException e) {
            models.forEach(MppModel::close);
            throw e;
        }
    }

    /**
     * Returns the SHA-256 over the checksums of the files that {@link #model} reads, or over the plan and the perceivers of all folds.
     *
     * @throws PrpfException 69 if there is no trained perceiver
     */
    public String sha256() {
        if (isOfFolds()) {
            StringBuilder sums = new StringBuilder(AtomicFiles.sha256(path.resolve(FOLDS)));
            runsOf(folds()).forEach(run -> sums.append('\n').append(run.sha256()));
            return AtomicFiles.sha256(sums.toString().getBytes(StandardCharsets.UTF_8));
        }
        List<Path> files = new ArrayList<>(isEnsemble() ? ensemble().weights() : MppModel.weights(checkpoint()));
        if (calibration().exists()) {
            files.add(calibration().file());
        }
        return MppModel.sha256(files);
    }

    private RunCalibration calibration() {
        return new RunCalibration(path);
    }

    /** Writes the calibration to the run. */
    public void write(FittedCalibration calibration) {
        calibration().write(calibration);
    }

    // The threshold: threshold.json, .csv and .svg.

    /** Returns whether the run has a threshold. */
    public boolean hasThreshold() {
        return Files.isRegularFile(path.resolve(THRESHOLD));
    }

    /** Writes the threshold and its curve. */
    public void write(TriggerThreshold threshold) {
        write(THRESHOLD, threshold);
        AtomicFiles.writeText(path.resolve("threshold.csv"), threshold.csv());
        SvgFile.write(path.resolve("threshold.svg"), threshold.drawing());
    }

    /** @throws PrpfException 69 if the run has no threshold yet, 65, naming file and key, if it is damaged or not of the run's weights */
    public TriggerThreshold threshold() {
        if (!hasThreshold()) {
            requireOne();
        }
        Path file = existing(THRESHOLD, "; choose a threshold with `prpf mpp sweep --run " + path + "`");
        TriggerThreshold threshold =
                record(THRESHOLD, "threshold", TriggerThreshold.class, "guarantee", "model_sha256");
        String chosenWith = threshold.modelSha256();
        String current = chosenWith == null ? null : calibration().read().modelSha256();
        if (chosenWith != null && !chosenWith.equals(current)) {
            throw new InvalidDataException(file + ": was chosen with weights " + chosenWith + ", "
                    + RunCalibration.FILE + " belongs to " + current
                    + ": the threshold and its risk control do not hold for these; choose again with `prpf mpp sweep"
                    + " --run " + path + "`");
        }
        return threshold;
    }

    /**
     * Chooses a threshold by a rule from the run's perceptions, with the weights' checksum; does not write it.
     *
     * @throws PrpfException naming the run: see {@link TriggerThreshold#choose}. For a bound also 78 without calibration samples and 65 if
     *     one of them was seen
     */
    public TriggerThreshold choose(ThresholdRule rule) {
        try {
            LabelledPerceptions dev = perceptions(Split.DEV);
            TriggerThreshold chosen = rule instanceof ThresholdRule.OnDev onDev
                    ? TriggerThreshold.choose(dev.pTrigger(), dev.acts(), onDev)
                    : TriggerThreshold.choose(
                            (LearnThenTest) rule,
                            dev,
                            unseenCalibration(),
                            AtomicFiles.sha256(perceptionsFile(Split.CALIBRATION)));
            return chosen.of(calibration().exists() ? calibration().read().modelSha256() : null);
        } catch (PrpfException e) {
            throw e.at(path.toString());
        }
    }

    private LabelledPerceptions unseenCalibration() {
        SplitRecord record = split();
        if (!record.has(Split.CALIBRATION) && !has(Split.CALIBRATION)) {
            throw new InvalidConfigurationException(
                    "the run has no samples held out from training, stopping and calibration (calibration.share was 0),"
                            + " and a bound on any others would not hold; train with --set calibration.share=0.2 in"
                            + " another --run-dir");
        }
        LabelledPerceptions calibration = perceptions(Split.CALIBRATION);
        record.requireUnseen(
                calibration.samples().stream().map(LabelledPerception::id).toList());
        return calibration;
    }

    // The samples: split.jsonl, dev.jsonl, calibration.jsonl, test.jsonl, pool.json.

    /**
     * Writes the split of each sample, and the dev samples, which can choose a cascade's threshold.
     *
     * @param samples in the order of the record
     */
    public void write(SplitRecord record, List<Sample> samples) {
        SPLIT_LINES.write(path.resolve(SPLIT), record.entries());
        SampleWriter.write(
                path.resolve(DEV_SAMPLES),
                IntStream.range(0, samples.size())
                        .filter(i -> record.entries().get(i).split() == Split.DEV)
                        .mapToObj(samples::get)
                        .iterator());
    }

    /** @throws PrpfException 69 if the run has no split file, 65, naming the line, if the file is damaged */
    public SplitRecord split() {
        String remedy = ", so the training samples are unknown; `prpf mpp train --run-dir " + path + "` writes it";
        return new SplitRecord(lines(SPLIT_LINES, existing(SPLIT, remedy)));
    }

    /** Returns the file of the best epoch's answers to a split. */
    public Path perceptionsFile(Split split) {
        return path.resolve(split.label() + ".jsonl");
    }

    /** Returns whether the run has the perceptions of a split. */
    public boolean has(Split split) {
        return Files.isRegularFile(perceptionsFile(split));
    }

    /** @throws PrpfException 69 if the run has not yet written the perceptions of a split */
    public Path requireWritten(Split split) {
        String name = split.label() + ".jsonl";
        return existing(name, "; it is written when `prpf mpp train --run-dir " + path + "` ends");
    }

    /** Writes the best epoch's answers. */
    public void write(LabelledPerceptions perceptions) {
        PERCEPTION_LINES.write(perceptionsFile(perceptions.split()), perceptions.samples());
    }

    /**
     * Reads the best epoch's answers to the samples of a split.
     *
     * @throws PrpfException see {@link #requireWritten}. 65, naming the line, if the file is damaged, of an older version, or has another
     *     number of samples than the run
     */
    public LabelledPerceptions perceptions(Split split) {
        Path file = requireWritten(split);
        List<LabelledPerception> samples;
        try {
            samples = lines(PERCEPTION_LINES, file);
        } catch (InvalidDataException e) {
            throw new InvalidDataException(e.getMessage() + writtenAgain(), e);
        }
        JsonNode count = RunDirectory.result(path).path(split.label());
        if (count.isInt() && count.intValue() != samples.size()) {
            throw new InvalidDataException(file + ": holds " + samples.size() + " samples, run.json says " + count
                    + ": lines are missing or were added" + writtenAgain());
        }
        return new LabelledPerceptions(split, samples);
    }

    private String writtenAgain() {
        return "; the training's command writes it again; if " + path
                + " is one of several (--seeds, --folds), restore it or remove that folder first";
    }

    /** Writes the sizes of the function pool. */
    public void write(PoolSizes sizes) {
        AtomicFiles.writeText(path.resolve(POOL), JsonRecords.write(sizes) + "\n");
    }

    /** @throws PrpfException 69 if the run has no function pool, 65 if its file is damaged */
    public PoolSizes poolSizes() {
        return record(POOL, "sizes of a function pool", PoolSizes.class);
    }

    // Several perceivers: seeds.json or folds.jsonl.

    /** Returns whether the directory holds a training over seeds. */
    public boolean isOfSeeds() {
        return Files.isRegularFile(path.resolve(SEEDS));
    }

    /** Writes the plan of a training over seeds. */
    public void write(SeedPlan plan) {
        write(SEEDS, plan);
    }

    /** @throws PrpfException 69 if the directory holds no training over seeds, 65 if its plan is damaged */
    public SeedPlan seeds() {
        return record(SEEDS, "plan of seeds", SeedPlan.class);
    }

    /** Returns the run of one seed. */
    public MppRun seed(SeedPlan.Run one) {
        return new MppRun(path.resolve(one.path()));
    }

    /** Returns whether the directory holds a training over folds. */
    public boolean isOfFolds() {
        return Files.isRegularFile(path.resolve(FOLDS));
    }

    /** Writes the plan of a training over folds. */
    public void write(FoldPlan plan) {
        FOLD_LINES.write(path.resolve(FOLDS), plan.entries());
    }

    /** @throws PrpfException 65, naming file and line, if the plan is damaged */
    public FoldPlan folds() {
        return new FoldPlan(lines(FOLD_LINES, path.resolve(FOLDS)));
    }

    /** Returns the run of the perceiver that did not see a fold. */
    public MppRun fold(int fold) {
        return new MppRun(path.resolve("fold_" + fold));
    }

    private List<MppRun> runsOf(FoldPlan plan) {
        return IntStream.range(0, plan.folds()).mapToObj(this::fold).toList();
    }

    /** @throws PrpfException 69, with advice, if the directory holds the perceivers of folds or of seeds */
    public void requireOne() {
        if (isOfFolds()) {
            throw new UnavailableException(
                    path + ": holds the perceivers of folds, which are for the records they were trained on (data"
                            + " sft, par sft, data rollouts); a perceiver of all data is needed: `prpf mpp train`"
                            + " without --folds");
        }
        if (isOfSeeds()) {
            throw new UnavailableException(path + ": holds the runs of several seeds; name one of them, such as "
                    + seed(seeds().runs().get(0)).path());
        }
    }

    /** Returns a file of the run; throws 69 with the remedy if it does not exist. */
    private Path existing(String name, String remedy) {
        Path file = path.resolve(name);
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException(file + ": does not exist" + remedy);
        }
        return file;
    }

    private static <T extends Record> List<T> lines(RecordLines<T> format, Path file) {
        List<T> records = new ArrayList<>();
        format.read(file, (place, record) -> records.add(record));
        return records;
    }

    private void write(String name, Record record) {
        AtomicFiles.writeText(path.resolve(name), JsonRecords.tree(record).toPrettyString() + "\n");
    }

    private <T extends Record> T record(String name, String what, Class<T> type, String... optional) {
        Path file = existing(name, "; `prpf mpp train --run-dir " + path + "` writes it");
        return JsonRecords.read(
                file.toString(), what, IoFailure.whileReading(file, () -> Files.readString(file)), type, optional);
    }
}
