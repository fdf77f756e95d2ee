package dev.prpf.mpp.run;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.ensemble.EncodedTexts;
import dev.prpf.mpp.ensemble.EnsembleFiles;
import dev.prpf.mpp.ensemble.EnsembleModel;
import dev.prpf.mpp.ensemble.EnsemblePerceiver;
import dev.prpf.mpp.perceive.MppModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The files below {@code ensemble/} of a run of {@code mpp train --ensemble}, in addition to those of {@link MppRun}. They are the files of
 * {@link EnsembleFiles}, {@code scores/} (the linear members' out-of-fold scores), {@code folds/} (the folds' perceivers) and {@code
 * perceiver/} (the perceiver of all training samples).
 *
 * @param run the run's directory
 */
public record EnsembleRun(Path run) {
    private static final String DIRECTORY = "ensemble";

    /** Returns whether an ensemble's training was started in the run. */
    boolean exists() {
        return Files.isDirectory(directory());
    }

    private Path directory() {
        return run.resolve(DIRECTORY);
    }

    /** Returns the files of the linear members and the mixture. */
    public EnsembleFiles files() {
        return new EnsembleFiles(directory());
    }

    /** Returns the file of a linear member's scores of a held-out fold; {@code member} is its index. */
    public Path scores(int fold, int member) {
        return directory().resolve("scores").resolve("fold_" + fold + ".member_" + member + ".jsonl");
    }

    /** Returns the run of the folds' perceivers, in the format of {@code mpp train --folds}. */
    public MppRun folds() {
        return new MppRun(directory().resolve("folds"));
    }

    /** Returns the run of the perceiver of all training samples. */
    public MppRun perceiver() {
        return new MppRun(directory().resolve("perceiver"));
    }

    EnsembleConfig config() {
        return StrictYaml.read(run.resolve(RunCalibration.CONFIG), EnsembleConfig.class, List.of());
    }

    /** Returns the SHA-256 over the checksums of {@link #weights}. */
    public String weightsSha256() {
        return MppModel.sha256(weights());
    }

    /**
     * Returns all files that hold weights.
     *
     * @throws PrpfException 69 if the training is not finished, 65 if a file is damaged
     */
    List<Path> weights() {
        boolean hasPerceiver = files().readDescription().hasPerceiver();
        List<Path> weights = new ArrayList<>(files().weights());
        if (hasPerceiver) {
            weights.addAll(MppModel.weights(perceiver().checkpoint()));
        }
        return weights;
    }

    /**
     * Opens the trained ensemble as a perceiver with the run's calibration.
     *
     * @param encoders opens the encoders of the training; not owned
     * @throws PrpfException 69 if the training is not finished or an encoder is missing. 65 if files are damaged or the calibration belongs
     *     to other weights. 78 if the encoders or the catalogue differ from those of the training
     */
    EnsemblePerceiver perceiver(SampleEncoders encoders, ScenarioCatalog catalog) {
        files().readDescription();
        Path place = files().directory();
        ProbabilityCalibration calibration = new RunCalibration(run).of(place, this::weightsSha256, true);
        return perceiver(encoders, catalog, calibration);
    }

    private EnsemblePerceiver perceiver(
            SampleEncoders encoders, ScenarioCatalog catalog, ProbabilityCalibration calibration) {
        EnsembleConfig config = config();
        EnsembleModel model = files().read();
        SampleEncoder first = encoders.first();
        List<EncodedTexts> texts = config.linearEncoders(encoders.settings()).stream()
                .map(settings -> new EncodedTexts(encoders.of(settings), false))
                .toList();
        EnsemblePerceiver.Sources sources = new EnsemblePerceiver.Sources(first::screenText, texts, encoders::cost);
        EnsemblePerceiver.Network network = model.description().hasPerceiver() ? network(config, encoders) : null;
        try {
            return new EnsemblePerceiver(model, network, calibration, sources, catalog);
        } catch (RuntimeException e) {
            if (network != null) {
                network.model().close();
            }
            throw e;
        }
    }

    private EnsemblePerceiver.Network network(EnsembleConfig config, SampleEncoders encoders) {
        SampleEncoder encoder = encoders.of(
                config.encoders(encoders.settings().store(), encoders.settings().images()));
        return new EnsemblePerceiver.Network(perceiver().model(), encoder);
    }

    /** Makes the directory that marks the run as an ensemble's, if it does not exist. */
    public void begin() {
        IoFailure.whileWriting(directory(), () -> Files.createDirectories(directory()));
    }
}
