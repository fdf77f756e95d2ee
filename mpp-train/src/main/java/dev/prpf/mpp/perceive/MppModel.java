package dev.prpf.mpp.perceive;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.base.files.SafeTensors.Tensor;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.MppNetwork;
import dev.prpf.mpp.network.MppNetwork.NamedArray;
import dev.prpf.mpp.network.definition.FeatureBatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A trained perceiver on features. Its checkpoint directory holds {@code mpp.json} (what it is) and {@code mpp.safetensors} (its arrays);
 * the calibration is the run's.
 *
 * @param network closed with the model; its own calls are not for two threads at once
 * @param calibration from the trigger head's logit to p_trigger
 */
public record MppModel(MppDescription description, MppNetwork network, ProbabilityCalibration calibration)
        implements AutoCloseable {
    /** The file that makes a directory a perceiver's checkpoint. */
    public static final String DESCRIPTION = "mpp.json";

    private static final String ARRAYS = "mpp.safetensors";
    private static final int LARGEST_BATCH = 64;

    /** @throws PrpfException 65 if the checkpoint's files are damaged, another program's or another version's */
    public static MppModel read(Path checkpoint, ProbabilityCalibration calibration) {
        String defect = CheckpointStore.defect(checkpoint);
        if (defect != null) {
            throw new InvalidDataException(checkpoint + ": is no whole checkpoint: " + defect);
        }
        MppDescription description = MppDescription.read(checkpoint.resolve(DESCRIPTION));
        MppNetwork network = new MppNetwork(description.shape(), description.loss(), 0);
        try {
            network.load(readArrays(checkpoint));
        } catch (IllegalArgumentException e) {
            network.close();
            throw new InvalidDataException(
                    checkpoint.resolve(ARRAYS) + " does not fit " + DESCRIPTION + ": " + e.getMessage());
        }
        return new MppModel(description, network, calibration);
    }

    /** Whether a directory is a perceiver's checkpoint, whole or not. */
    public static boolean isCheckpoint(Path directory) {
        return Files.isRegularFile(directory.resolve(DESCRIPTION));
    }

    /** The files that make the weights what they are. */
    public static List<Path> weights(Path checkpoint) {
        return List.of(checkpoint.resolve(DESCRIPTION), checkpoint.resolve(ARRAYS));
    }

    /** SHA-256 over the sums of a checkpoint's description and arrays. */
    public static String weightsSha256(Path checkpoint) {
        return sha256(weights(checkpoint));
    }

    /** SHA-256 over the sums of some files, one a line. */
    public static String sha256(List<Path> files) {
        String sums =
                files.stream().map(file -> AtomicFiles.sha256(file) + "\n").collect(Collectors.joining());
        return AtomicFiles.sha256(sums.getBytes(StandardCharsets.UTF_8));
    }

    /** The arrays of a checkpoint directory. */
    public static Map<String, NamedArray> readArrays(Path checkpoint) {
        Map<String, NamedArray> arrays = new LinkedHashMap<>();
        try (SafeTensors file = SafeTensors.open(checkpoint.resolve(ARRAYS))) {
            file.entries().forEach((name, entry) -> arrays.put(name, new NamedArray(entry.shape(), file.floats(name))));
        }
        return arrays;
    }

    /** Writes the two files into an existing directory. */
    public static void write(Path checkpoint, MppDescription description, MppNetwork network) throws IOException {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        network.parameters()
                .forEach((name, array) -> tensors.put(name, Tensor.ofFloats(array.shape(), array.values())));
        SafeTensors.write(checkpoint.resolve(ARRAYS), tensors, Map.of("format", "prpf-mpp"));
        byte[] json = description.json();
        AtomicFiles.write(checkpoint.resolve(DESCRIPTION), out -> out.write(json));
    }

    /** {@link MppNetwork#logits} of any number of samples, in batches of few sizes, so that few plans are needed. */
    public static double[][] logits(MppNetwork network, List<SampleFeatures> samples) {
        int rows = samples.size() == 1 ? 1 : samples.size() <= 8 ? 8 : LARGEST_BATCH;
        List<double[]> logits = new ArrayList<>();
        for (int from = 0; from < samples.size(); from += rows) {
            List<SampleFeatures> some = samples.subList(from, Math.min(samples.size(), from + rows));
            logits.addAll(List.of(network.logits(FeatureBatch.of(some, network.shape(), rows))));
        }
        return logits.toArray(double[][]::new);
    }

    /**
     * The network's logits, (n, 1 + S), as {@link MppNetwork#logits} gives them. Calls of several threads take turns.
     *
     * @throws PrpfException 65, naming the sample, if a feature or a logit is not finite
     */
    public synchronized double[][] logits(List<SampleFeatures> samples) {
        double[][] logits = logits(network, samples);
        for (int i = 0; i < samples.size(); i++) {
            for (double logit : logits[i]) {
                if (!Double.isFinite(logit)) {
                    throw new InvalidDataException("the perceiver answers " + logit + " of sample "
                            + samples.get(i).id() + ", must be a finite number: its weights are damaged or its training"
                            + " diverged; train again");
                }
            }
        }
        return logits;
    }

    /** One perception a sample, in order (PRPF eq. 7 and 8); see {@link #logits(List)}. */
    public List<Perception> perceive(List<SampleFeatures> samples) {
        return Stream.of(logits(samples)).map(this::perception).toList();
    }

    /** The perception of one sample's logits, (1 + S). */
    public Perception perception(double[] logits) {
        return Perception.of(logits, description.scenarios(), calibration);
    }

    @Override
    public void close() {
        network.close();
    }
}
