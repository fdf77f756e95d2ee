package dev.prpf.mpp.training;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.data.run.PrpfException;
import dev.prpf.data.run.RunDirectory;
import dev.prpf.data.run.StopSignal;
import dev.prpf.mpp.DevPredictions;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.MppDescription;
import dev.prpf.mpp.MppModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Samples to a trained run: encode, split, oversample, train, and say what the best epoch thinks of the dev samples.
 *
 * @param config the configuration
 * @param catalog the scenarios
 */
public record TrainingJob(MppConfig config, ScenarioCatalog catalog) {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingJob.class);

    /**
     * Trains in a run directory, or goes on there.
     *
     * @param samples labelled
     * @param encoder open; closed by the caller
     * @return the run's result, as kept in run.json
     * @throws PrpfException 65 for unlabelled samples or an empty class, 10 on divergence, 75 when stopped by a signal
     */
    public Map<String, Object> run(List<Sample> samples, SampleEncoder encoder, RunDirectory run) {
        requireLabels(samples);
        List<SampleFeatures> features = encoder.encode(samples, catalog);
        SampleSplit split = SampleSplit.of(features, config.training().devShare(), config.seed());
        List<SampleFeatures> train = config.training().oversampleSilent()
                ? SampleSplit.balanced(split.train(), config.seed())
                : split.train();
        TrainingSettings settings = config.settings(encoder.width(), catalog.size());
        MppDescription description = new MppDescription(
                settings.shape(), settings.loss(), catalog.names(), encoder.textEncoderId(), encoder.frameEncoderId());
        long longer = MppModel.shortened(features, settings.shape());
        if (longer > 0) {
            LOG.info(
                    "{} of {} trajectories are longer than network.max-steps = {}: their oldest steps are not seen",
                    longer,
                    features.size(),
                    settings.shape().maxSteps());
        }
        TrainingState end = train(settings, description, train, split.dev(), run);
        try (MppModel model = MppModel.load(run.path())) {
            DevPredictions.of(split.dev(), model.perceive(split.dev())).save(run.path());
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("train", split.train().size());
        result.put("train_oversampled", train.size());
        result.put("dev", split.dev().size());
        result.put("trajectories_shortened", longer);
        result.put("epochs", end.epoch());
        result.put("steps", end.step());
        result.put("best_step", end.bestStep());
        result.put("best_dev_loss", end.bestDevLoss());
        run.finish(result);
        return result;
    }

    private TrainingState train(
            TrainingSettings settings,
            MppDescription description,
            List<SampleFeatures> train,
            List<SampleFeatures> dev,
            RunDirectory run) {
        try (MppTraining training = new MppTraining(settings, train, dev);
                StopSignal signal = StopSignal.install()) {
            return new MppTrainingRun(
                            training, description, run, config.training().checkpointSteps())
                    .train(settings.epochs(), signal);
        }
    }

    private static void requireLabels(List<Sample> samples) {
        List<String> unlabelled = samples.stream()
                .filter(sample -> !sample.labelled())
                .map(Sample::id)
                .limit(5)
                .toList();
        if (!unlabelled.isEmpty()) {
            throw PrpfException.badData("samples without answers cannot be trained on, the first are " + unlabelled
                    + "; leave them out or label them (an empty list of answers is silence)");
        }
    }
}
