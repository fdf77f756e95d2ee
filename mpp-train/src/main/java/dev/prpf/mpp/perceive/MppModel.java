package dev.prpf.mpp.perceive;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.ModelZip;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.PerceiverGraph;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.network.host.ParameterStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * A trained perceiver on features. Its checkpoint directory holds {@code mpp.json} (the description) and {@code mpp.zip} (the model file, see
 * {@link ModelZip}); the calibration belongs to the run.
 *
 * @param network closed with the model; not thread-safe
 * @param calibration maps the trigger head's logit to p_trigger
 */
public record MppModel(MppDescription description, HostEngine network, ProbabilityCalibration calibration)
        implements AutoCloseable {
    /** Name of the description file, which marks a perceiver's checkpoint. */
    public static final String DESCRIPTION = "mpp.json";

    /** Name of the model file, a zip written by DL4J. */
    public static final String MODEL = "mpp.zip";

    private static final int LARGEST_BATCH = 64;

    /** @throws PrpfException 65 if a file is damaged, or was written by another program or version */
    public static MppModel read(Path checkpoint, ProbabilityCalibration calibration) {
        String defect = CheckpointStore.defect(checkpoint);
        if (defect != null) {
            throw new InvalidDataException(checkpoint + ": is not a complete checkpoint: " + defect);
        }
        MppDescription description = MppDescription.read(checkpoint.resolve(DESCRIPTION));
        ParameterStore parameters = file(checkpoint).parameters(description.shape());
        return new MppModel(description, new HostEngine(parameters), calibration);
    }

    private static ModelZip file(Path checkpoint) {
        return new ModelZip(checkpoint.resolve(MODEL));
    }

    /** Returns whether a directory is a perceiver's checkpoint, complete or not. */
    public static boolean isCheckpoint(Path directory) {
        return Files.isRegularFile(directory.resolve(DESCRIPTION));
    }

    /** Returns the files that define the weights. */
    public static List<Path> weights(Path checkpoint) {
        return List.of(checkpoint.resolve(DESCRIPTION), checkpoint.resolve(MODEL));
    }

    /** Returns the SHA-256 over the checksums of a checkpoint's description and model file. */
    public static String weightsSha256(Path checkpoint) {
        return sha256(weights(checkpoint));
    }

    /** Returns the SHA-256 over the checksums of some files, one a line. */
    public static String sha256(List<Path> files) {
        String sums =
                files.stream().map(file -> AtomicFiles.sha256(file) + "\n").collect(Collectors.joining());
        return AtomicFiles.sha256(sums.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Restores a checkpoint's graph, to resume training.
     *
     * @throws PrpfException 65 as in {@link #read}, or if the checkpoint has another network shape
     */
    public static ComputationGraph restore(Path checkpoint, MppDescription description) {
        NetworkShape shape =
                MppDescription.read(checkpoint.resolve(DESCRIPTION)).shape();
        if (!shape.equals(description.shape())) {
            throw new InvalidDataException(checkpoint + ": has a network of " + shape + ", this training has "
                    + description.shape() + "; train in another --run-dir");
        }
        return PerceiverGraph.restore(file(checkpoint), shape);
    }

    /**
     * Writes the two files into an existing directory.
     *
     * @param updater whether the file holds the updater's state, to resume training
     */
    public static void write(Path checkpoint, MppDescription description, ComputationGraph graph, boolean updater)
            throws IOException {
        PerceiverGraph.write(graph, checkpoint.resolve(MODEL), updater);
        byte[] json = description.json();
        AtomicFiles.write(checkpoint.resolve(DESCRIPTION), out -> out.write(json));
    }

    /** Computes the logits of any number of samples, in few batch sizes, so that few plans are made. */
    public static double[][] logits(HostEngine network, List<SampleFeatures> samples) {
        int rows = samples.size() == 1 ? 1 : samples.size() <= 8 ? 8 : LARGEST_BATCH;
        List<double[]> logits = new ArrayList<>();
        for (int from = 0; from < samples.size(); from += rows) {
            List<SampleFeatures> some = samples.subList(from, Math.min(samples.size(), from + rows));
            logits.addAll(List.of(
                    network.logits(FeatureBatch.of(some, network.parameters().shape(), rows))));
        }
        return logits.toArray(double[][]::new);
    }

    /**
     * Returns the network's logits, (n, 1 + S); see {@link HostEngine#logits}. Thread-safe.
     *
     * @throws PrpfException 65, naming the sample, if a feature or a logit is not finite
     */
    public synchronized double[][] logits(List<SampleFeatures> samples) {
        double[][] logits = logits(network, samples);
        for (int i = 0; i < samples.size(); i++) {
            for (double logit : logits[i]) {
                if (!Double.isFinite(logit)) {
                    throw new InvalidDataException("the perceiver has logit " + logit + " for sample "
                            + samples.get(i).id() + ", must be a finite number: its weights are damaged or its training"
                            + " diverged; train again");
                }
            }
        }
        return logits;
    }

    /** Returns one perception for each sample, in order (PRPF eq. 7 and 8); see {@link #logits(List)}. */
    public List<Perception> perceive(List<SampleFeatures> samples) {
        return Stream.of(logits(samples)).map(this::perception).toList();
    }

    /** Converts one sample's logits, (1 + S), to its perception. */
    public Perception perception(double[] logits) {
        return Perception.of(logits, description.scenarios(), calibration);
    }

    @Override
    public void close() {
        network.close();
    }
}
