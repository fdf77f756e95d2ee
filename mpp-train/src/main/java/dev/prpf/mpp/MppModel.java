package dev.prpf.mpp;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.calibration.FittedCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.MppNetwork;
import dev.prpf.mpp.network.definition.Logits;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.training.MppTraining;
import dev.prpf.mpp.training.TrainingSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A trained perceiver on features: {@code mpp.json} (what it is) and {@code mpp.safetensors} (its arrays) of a checkpoint, and the run's
 * {@link ProbabilityCalibration}.
 */
public final class MppModel implements AutoCloseable {
    /** Subdirectory of a run that holds the arrays of the best epoch. */
    public static final String BEST = "best";

    private static final String DESCRIPTION = "mpp.json";
    private static final String ARRAYS = "mpp.safetensors";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final MppDescription description;
    private final MppNetwork network;
    private final ProbabilityCalibration calibration;

    public MppModel(MppDescription description, MppNetwork network, ProbabilityCalibration calibration) {
        this.description = description;
        this.network = network;
        this.calibration = calibration;
    }

    /** Trains in memory and keeps the best epoch; see {@link MppTraining#fit}. */
    public static MppModel fit(
            TrainingSettings settings,
            List<String> scenarios,
            String textEncoder,
            String frameEncoder,
            List<SampleFeatures> train,
            List<SampleFeatures> dev) {
        MppDescription description =
                new MppDescription(settings.shape(), settings.loss(), scenarios, textEncoder, frameEncoder);
        return new MppModel(description, MppTraining.fit(settings, train, dev), new ProbabilityCalibration.None());
    }

    /**
     * Loads a checkpoint directory, or the best epoch of a run directory, with the run's calibration.
     *
     * @throws PrpfException 69 if there is none, 65 if its files are damaged, another program's or another version's, or if the run's
     *     calibration and threshold belong to other weights
     */
    public static MppModel load(Path checkpointOrRun) {
        Path directory = directoryOf(checkpointOrRun);
        return read(directory, RunWeights.calibration(checkpointOrRun, directory));
    }

    /**
     * The best epoch of a training that has just ended, not yet calibrated.
     *
     * @param step the step it was measured after
     * @throws PrpfException 65 if that checkpoint is damaged: an older one is not what dev chose
     */
    public static MppModel uncalibrated(Path run, long step) {
        Path directory = best(run, step);
        String defect = CheckpointStore.defect(directory);
        if (defect != null) {
            throw new InvalidDataException(directory + ": is no whole checkpoint: " + defect
                    + "; it was the best epoch, so the training's outcome is lost; train again with another --run-dir");
        }
        return read(directory, new ProbabilityCalibration.None());
    }

    /** Where a run keeps the arrays of an epoch that was the best. */
    public static Path best(Path run, long step) {
        return run.resolve(BEST).resolve("step_" + step);
    }

    private static MppModel read(Path directory, ProbabilityCalibration calibration) {
        MppDescription description = MppDescription.read(directory.resolve(DESCRIPTION));
        MppNetwork network = new MppNetwork(description.shape(), description.loss(), 0);
        try {
            network.load(readArrays(directory));
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(
                    directory.resolve(ARRAYS) + " does not fit " + DESCRIPTION + ": " + e.getMessage());
        }
        return new MppModel(description, network, calibration);
    }

    /**
     * SHA-256 over the sums of the files that {@link #load} reads, or of the perceivers of all folds.
     *
     * @throws PrpfException 69 if there is no trained perceiver
     */
    public static String sha256(Path checkpointOrRun) {
        if (FoldPlan.isPlanned(checkpointOrRun)) {
            return FoldPlan.sha256(checkpointOrRun);
        }
        Path directory = directoryOf(checkpointOrRun);
        List<Path> files = new ArrayList<>(weights(directory));
        Path calibration = checkpointOrRun.resolve(FittedCalibration.FILE);
        if (Files.isRegularFile(calibration)) {
            files.add(calibration);
        }
        return sumOfSums(files);
    }

    /** SHA-256 over the sums of a checkpoint directory's description and arrays. */
    public static String weightsSha256(Path checkpoint) {
        return sumOfSums(weights(checkpoint));
    }

    private static List<Path> weights(Path checkpoint) {
        return List.of(checkpoint.resolve(DESCRIPTION), checkpoint.resolve(ARRAYS));
    }

    private static String sumOfSums(List<Path> files) {
        StringBuilder sums = new StringBuilder();
        files.forEach(file -> sums.append(AtomicFiles.sha256(file)).append('\n'));
        return AtomicFiles.sha256(sums.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static Path directoryOf(Path given) {
        if (Files.isRegularFile(given.resolve(DESCRIPTION))) {
            String defect = CheckpointStore.defect(given);
            if (defect != null) {
                throw new InvalidDataException(given + ": is no whole checkpoint: " + defect);
            }
            return given;
        }
        SeveralRuns.refuse(given);
        Path bests = given.resolve(BEST);
        CheckpointStore.Checkpoint best = new CheckpointStore(bests, 2).latest();
        if (best == null && Files.isRegularFile(bests.resolve("latest"))) {
            throw new InvalidDataException(
                    bests + ": every checkpoint in it is damaged; train again with another --run-dir");
        }
        if (best == null) {
            throw new UnavailableException(
                    given + ": holds no trained perceiver (neither " + DESCRIPTION + " nor a whole checkpoint in "
                            + BEST + "/); make one with `prpf mpp train --run-dir " + given + "`");
        }
        return best.directory();
    }

    /** The arrays of a checkpoint directory. */
    public static Map<String, MppNetwork.NamedArray> readArrays(Path directory) {
        Map<String, MppNetwork.NamedArray> arrays = new LinkedHashMap<>();
        try (SafeTensors file = SafeTensors.open(directory.resolve(ARRAYS))) {
            file.entries()
                    .forEach((name, entry) ->
                            arrays.put(name, new MppNetwork.NamedArray(entry.shape(), file.floats(name))));
        }
        return arrays;
    }

    /** Writes the two files into an existing directory. */
    public static void write(Path directory, MppDescription description, MppNetwork network) throws IOException {
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        network.parameters()
                .forEach(
                        (name, array) -> tensors.put(name, SafeTensors.Tensor.ofFloats(array.shape(), array.values())));
        SafeTensors.write(directory.resolve(ARRAYS), tensors, Map.of("format", "prpf-mpp"));
        byte[] json = JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(description);
        AtomicFiles.write(directory.resolve(DESCRIPTION), out -> out.write(json));
    }

    public MppDescription description() {
        return description;
    }

    /** What makes p_trigger of the trigger head's logit. */
    public ProbabilityCalibration calibration() {
        return calibration;
    }

    /** Every trainable array by name; see {@link MppNetwork#parameters}. */
    public synchronized Map<String, MppNetwork.NamedArray> parameters() {
        return network.parameters();
    }

    /**
     * The network's logits, one row a sample, in order. Calls of several threads take turns.
     *
     * @throws PrpfException 65, naming the sample, if a feature or a logit is not finite
     */
    public synchronized Logits logits(List<SampleFeatures> samples) {
        FiniteFeatures.require(samples);
        Logits logits = MppTraining.logits(network, samples);
        for (int i = 0; i < samples.size(); i++) {
            requireFinite(samples.get(i), logits.trigger()[i]);
            for (float scenario : logits.scenarios()[i]) {
                requireFinite(samples.get(i), scenario);
            }
        }
        return logits;
    }

    private static void requireFinite(SampleFeatures sample, float logit) {
        if (!Float.isFinite(logit)) {
            throw new InvalidDataException("the perceiver answers " + logit + " of sample " + sample.id()
                    + ", must be a finite number: its weights are damaged or its training diverged; train again");
        }
    }

    /** One perception a sample, in order (PRPF eq. 7 and 8); see {@link #logits}. */
    public List<Perception> perceive(List<SampleFeatures> samples) {
        Logits logits = logits(samples);
        List<Perception> perceptions = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            perceptions.add(
                    Perception.of(logits.trigger()[i], logits.scenarios()[i], description.scenarios(), calibration));
        }
        return perceptions;
    }

    /** Samples whose trajectory is longer than what such a network sees. */
    public static long shortened(List<SampleFeatures> samples, NetworkShape shape) {
        return samples.stream()
                .filter(sample -> shape.seen(sample.screenshot()) < sample.steps().length)
                .count();
    }

    /** Samples with a context text of more sentences than what such a network sees. */
    public static long shortenedContexts(List<SampleFeatures> samples, NetworkShape shape) {
        return shape.sentences() == 0
                ? 0
                : samples.stream()
                        .filter(sample ->
                                Arrays.stream(sample.context()).anyMatch(text -> text.length > shape.sentences()))
                        .count();
    }

    @Override
    public void close() {
        network.close();
    }
}
