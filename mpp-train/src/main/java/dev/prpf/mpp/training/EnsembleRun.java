package dev.prpf.mpp.training;

import dev.prpf.base.files.IoFailure;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.ensemble.EnsembleFiles;
import dev.prpf.mpp.ensemble.EnsembleModel;
import dev.prpf.mpp.ensemble.EnsemblePerceiver;
import dev.prpf.mpp.ensemble.TextVectors.EncodedTexts;
import dev.prpf.mpp.perceive.MppModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The run directory of an ensemble's training. The files of {@link EnsembleFiles} are below {@code ensemble/}. With them are {@code
 * scores/} (the linear members' out-of-fold scores), {@code folds/} (the folds' perceivers) and {@code perceiver/} (the perceiver of all
 * training samples).
 */
public final class EnsembleRun extends TrainedRun {
    static final String DIRECTORY = "ensemble";

    public EnsembleRun(Path path) {
        super(path);
    }

    private Path directory() {
        return path.resolve(DIRECTORY);
    }

    /** Returns the files of the linear members and the mixture. */
    public EnsembleFiles files() {
        return new EnsembleFiles(directory());
    }

    /** Returns the file of a linear member's scores of a held-out fold; {@code member} is its index. */
    public Path scores(int fold, int member) {
        return directory().resolve("scores").resolve("fold_" + fold + ".member_" + member + ".jsonl");
    }

    /** Returns the run of the folds' perceivers, in the format of {@code gate train --folds}. */
    public MppRun.Folds folds() {
        return new MppRun.Folds(directory().resolve("folds"));
    }

    /** Returns the run of the perceiver of all training samples. */
    public MppRun.Single perceiver() {
        return new MppRun.Single(directory().resolve("perceiver"));
    }

    @Override
    public EnsembleConfig config() {
        return config(EnsembleConfig.class);
    }

    /** Returns the SHA-256 over the checksums of {@link #weights}. */
    public String weightsSha256() {
        return MppModel.sha256(weights());
    }

    @Override
    void copyWeights(Path folder) throws IOException {
        for (Path file : weights()) {
            Path copy = folder.resolve(path.relativize(file));
            Files.createDirectories(copy.resolveSibling(""));
            Files.copy(file, copy);
        }
    }

    @Override
    List<Path> weights() {
        boolean hasPerceiver = files().readDescription().hasPerceiver();
        List<Path> weights = new ArrayList<>(files().weights());
        if (hasPerceiver) {
            weights.addAll(MppModel.weights(perceiver().checkpoint()));
        }
        return weights;
    }

    @Override
    public EnsemblePerceiver perceiver(SampleEncoders encoders, ScenarioCatalog catalog) {
        files().readDescription();
        ProbabilityCalibration calibration = calibration().of(directory(), this::weightsSha256, true);
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
