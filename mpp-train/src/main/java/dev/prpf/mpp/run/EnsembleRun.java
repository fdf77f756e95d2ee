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
 * What a run of {@code mpp train --ensemble} has beyond the files of {@link MppRun}, below {@code ensemble/}: the files of {@link
 * EnsembleFiles}, {@code scores/} (what each linear member gave the folds), {@code folds/} (the perceivers of the folds) and {@code
 * perceiver/} (the one of all training samples).
 *
 * @param run the run's directory
 */
public record EnsembleRun(Path run) {
    private static final String DIRECTORY = "ensemble";

    /** Whether such a training was begun there. */
    boolean exists() {
        return Files.isDirectory(directory());
    }

    private Path directory() {
        return run.resolve(DIRECTORY);
    }

    /** The linear members and the mixture. */
    public EnsembleFiles files() {
        return new EnsembleFiles(directory());
    }

    /** The scores that a linear member, by its place, gave a fold that it had not seen. */
    public Path scores(int fold, int member) {
        return directory().resolve("scores").resolve("fold_" + fold + ".member_" + member + ".jsonl");
    }

    /** The perceivers of the folds, as {@code mpp train --folds} makes them. */
    public MppRun folds() {
        return new MppRun(directory().resolve("folds"));
    }

    /** The perceiver of all training samples. */
    public MppRun perceiver() {
        return new MppRun(directory().resolve("perceiver"));
    }

    EnsembleConfig config() {
        return StrictYaml.read(run.resolve(RunCalibration.CONFIG), EnsembleConfig.class, List.of());
    }

    /** SHA-256 over the sums of {@link #weights}. */
    public String weightsSha256() {
        return MppModel.sha256(weights());
    }

    /**
     * All files that the weights are in.
     *
     * @throws PrpfException 69 if the training is not at its end, 65 if a file is damaged
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
     * The trained ensemble on samples, with the run's calibration.
     *
     * @param encoders opens those of the training; they stay the caller's to close
     * @throws PrpfException 69 if the training is not at its end, or an encoder is missing; 65 if files are damaged or the calibration
     *     belongs to other weights; 78 unless encoders and catalogue are those of the training
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

    /** Makes the directory by which the run is known as an ensemble's; nothing is lost where it was begun before. */
    public void begin() {
        IoFailure.whileWriting(directory(), () -> Files.createDirectories(directory()));
    }
}
