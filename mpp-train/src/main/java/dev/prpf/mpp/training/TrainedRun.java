package dev.prpf.mpp.training;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.calibration.ProbabilityCalibration.FittedCalibration;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.perceive.LabelledPerceptions.LabelledPerception;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.split.SplitRecord;
import dev.prpf.mpp.threshold.LearnThenTest;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The run directory of one trained perceiver or ensemble.
 *
 * <ul>
 * <li>{@code config.resolved.yaml}, {@code calibration.json} (fitted on the run's weights), {@code threshold.json} (chosen with them),
 * {@code split.jsonl}, {@code dev-samples.json}, {@code pool.json};
 * <li>answers of the weights: {@code dev.jsonl}, {@code calibration.jsonl}, {@code test.jsonl}.
 * </ul>
 */
public abstract sealed class TrainedRun extends MppRun permits MppRun.Single, EnsembleRun {
    static final String THRESHOLD = "threshold.json";
    /** The file with the split of each training sample. */
    public static final String SPLIT = "split.jsonl";

    private static final String DEV_SAMPLES = "dev-samples.json";
    private static final String POOL = "pool.json";
    private static final RecordLines<SplitRecord.Entry> SPLIT_LINES =
            new RecordLines<>(SplitRecord.Entry.class, "split entry");
    private static final RecordLines<LabelledPerception> PERCEPTION_LINES =
            new RecordLines<>(LabelledPerception.class, "labelled perception");

    TrainedRun(Path path) {
        super(path);
    }

    @Override
    final TrainedRun one() {
        return this;
    }

    public abstract GateTrainingConfig config();

    final <C extends Record> C config(Class<C> type) {
        Path file = path.resolve(RunCalibration.CONFIG);
        String text = IoFailure.whileReading(file, () -> Files.readString(file));
        return StrictYaml.readText(file.toString(), text, type, List.of());
    }

    /**
     * Returns the frozen encoder of the training, with the paths that a command line names.
     *
     * @param images root of the samples' image paths; null if no sample has images
     */
    public final EncoderSettings encoder(Path store, @Nullable Path images) {
        return config().encoders(store, images);
    }

    /**
     * Opens the trained perceiver with the run's calibration; does not own the encoders.
     *
     * @param encoders the first is the encoder of the training; an ensemble opens its own
     * @throws PrpfException 69 if the training is not finished or an encoder is missing. 65 if files are damaged or written by another program
     *     or version, or the calibration belongs to other weights. 78 if the encoders or the catalogue differ from those of the training
     */
    public abstract Perceiver perceiver(SampleEncoders encoders, ScenarioCatalog catalog);

    /**
     * Returns all files that hold weights.
     *
     * @throws PrpfException 69 if the training is not finished, 65 if a file is damaged
     */
    abstract List<Path> weights();

    /**
     * Copies the gate and its threshold to a folder. The copy has no training state, and only ids and hashes of samples. The copy is a run too.
     *
     * @throws PrpfException 69 if there is no trained gate
     */
    public final void copyModel(Path folder) throws IOException {
        copyWeights(folder);
        for (String name : List.of(RunCalibration.CONFIG, RunCalibration.FILE, THRESHOLD, SPLIT)) {
            Files.copy(path.resolve(name), folder.resolve(name));
        }
    }

    abstract void copyWeights(Path folder) throws IOException;

    @Override
    public final String sha256() {
        List<Path> files = new ArrayList<>(weights());
        if (calibration().exists()) {
            files.add(calibration().file());
        }
        return MppModel.sha256(files);
    }

    @Override
    public final void requireFinished() {
        requireWritten(Split.DEV);
    }

    @Override
    public final SeedPlan plan() {
        return SeedPlan.alone(config());
    }

    final RunCalibration calibration() {
        return new RunCalibration(path);
    }

    public void write(FittedCalibration calibration) {
        calibration().write(calibration);
    }

    public boolean hasThreshold() {
        return Files.isRegularFile(path.resolve(THRESHOLD));
    }

    /** Writes the threshold with its curve. */
    public void write(TriggerThreshold threshold) {
        write(THRESHOLD, threshold);
    }

    /** @throws PrpfException 69 if the run has no threshold yet, 65, naming file and key, if it is damaged or not of the run's weights */
    public TriggerThreshold threshold() {
        Path file = existing(THRESHOLD, "; choose a threshold with `prpf gate sweep --gate " + path + "`");
        TriggerThreshold threshold =
                record(THRESHOLD, "threshold", TriggerThreshold.class, "guarantee", "model_sha256");
        String chosenWith = threshold.modelSha256();
        String current = chosenWith == null ? null : calibration().read().modelSha256();
        if (chosenWith != null && !chosenWith.equals(current)) {
            throw new InvalidDataException(file + ": was chosen with weights " + chosenWith + ", "
                    + RunCalibration.FILE + " belongs to " + current
                    + ": the threshold and its risk control do not hold for these; choose again with `prpf gate sweep"
                    + " --gate " + path + "`");
        }
        return threshold;
    }

    /**
     * Chooses a threshold by a rule from the run's perceptions, with the weights' checksum; does not write it.
     *
     * @throws PrpfException naming the run: see {@link ThresholdRule#choose}. For a bound also 78 without calibration samples and 65 if
     *     one of them was seen
     */
    public TriggerThreshold choose(ThresholdRule rule) {
        try {
            TriggerThreshold chosen = rule.choose(perceptions(Split.DEV), this::unseenCalibration);
            return chosen.of(calibration().exists() ? calibration().read().modelSha256() : null);
        } catch (PrpfException e) {
            throw e.at(path.toString());
        }
    }

    private LearnThenTest.Samples unseenCalibration() {
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
        return new LearnThenTest.Samples(calibration, AtomicFiles.sha256(perceptionsFile(Split.CALIBRATION)));
    }

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
        String remedy = ", so the training samples are unknown; " + maker() + " writes it";
        return new SplitRecord(lines(SPLIT_LINES, existing(SPLIT, remedy)));
    }

    /** Returns the file of the best epoch's answers to a split. */
    public Path perceptionsFile(Split split) {
        return path.resolve(split.label() + ".jsonl");
    }

    public boolean has(Split split) {
        return Files.isRegularFile(perceptionsFile(split));
    }

    private Path requireWritten(Split split) {
        String name = split.label() + ".jsonl";
        return existing(
                name,
                isOfCascade()
                        ? "; a cascade has no answers of its gate to records; name the gate of its training, CASCADE/work/gate"
                        : "; it is written when " + maker() + " ends");
    }

    /** Writes the best epoch's answers. */
    public void write(LabelledPerceptions perceptions) {
        PERCEPTION_LINES.write(perceptionsFile(perceptions.split()), perceptions.samples());
    }

    /**
     * Reads the best epoch's answers to the samples of a split.
     *
     * @throws PrpfException 69 if the run has not yet written them. 65, naming the line, if the file is damaged, of an older version, or has another
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

    /**
     * The number of the pool's functions in each scenario. Every function has one scenario, so a candidate pool's size is the sum over its
     * scenarios.
     *
     * @param functions scenario name to number of functions, in catalogue order
     */
    public record PoolSizes(@JsonValue Map<String, Integer> functions) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public PoolSizes {
            Rule.require(!functions.isEmpty(), "scenarios", functions.size(), "at least 1");
            functions.forEach((scenario, size) ->
                    Rule.require(size != null && size >= 0, scenario, size, "a number of functions, at least 0"));
            functions = Collections.unmodifiableMap(new LinkedHashMap<>(functions));
        }

        public static PoolSizes of(FunctionPool pool, ScenarioCatalog catalog) {
            Map<String, Integer> sizes = new LinkedHashMap<>();
            catalog.blocks(pool).forEach((scenario, functions) -> sizes.put(scenario, functions.size()));
            return new PoolSizes(sizes);
        }

        /** Number of functions of the whole pool. */
        public int whole() {
            return size(functions.keySet());
        }

        /** Number of functions of the candidate pool of these scenarios. */
        public int size(Collection<String> scenarios) {
            return scenarios.stream()
                    .mapToInt(name -> functions.getOrDefault(name, 0))
                    .sum();
        }
    }
}
