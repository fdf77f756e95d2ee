package dev.prpf.mpp.training;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.ImageEncoderChoice;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.mpp.calibration.CalibrationMethod;
import dev.prpf.mpp.ensemble.MemberPlan;
import dev.prpf.mpp.ensemble.TextAnalyzer;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.threshold.ThresholdRule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of {@code gate train --ensemble} (shipped as {@code configs/gate-ensemble.yaml}).
 *
 * @param seed of the split, the folds and the perceiver
 * @param folds number of folds of the training part, which choose strengths and weights
 * @param devShare share of the samples for calibration and the threshold; 0: these use the out-of-fold scores of all training samples
 * @param textEncoders of the members; the perceiver uses the first
 * @param encoder settings of all text encoders
 * @param vectors regressions on the text encoders' vectors; null for none
 * @param tfIdf regressions on TF-IDF of the texts; null for none
 * @param steps the classifier of single steps, for few samples; null for none; it predicts the scenarios without a perceiver
 * @param perceiver the network, a further member; null for none: regressions then predict the scenarios
 * @param calibration of the mixture's probabilities, and the samples for risk control
 * @param threshold the gate's rule (PRPF B.1)
 */
@Defaults("/configs/gate-ensemble.yaml")
public record EnsembleConfig(
        long seed,
        int folds,
        double devShare,
        List<String> textEncoders,
        Encoder encoder,
        @Nullable Vectors vectors,
        @Nullable Terms tfIdf,
        @Nullable Steps steps,
        @Nullable Network perceiver,
        MppConfig.Calibration calibration,
        ThresholdRule.MinRecall threshold)
        implements GateTrainingConfig {
    private static final int MAX_ENCODERS = 4; // all combinations of members' weights are tried

    public EnsembleConfig {
        textEncoders = List.copyOf(textEncoders);
        Rule.require(folds >= 2, "folds", folds, "at least 2");
        boolean stepsAlone = steps != null && vectors == null && tfIdf == null && perceiver == null;
        Rule.require(
                devShare < 1 && (devShare > 0 || (devShare == 0 && stepsAlone)),
                "dev-share",
                devShare,
                "in (0, 1), or 0 where steps is the only member");
        Rule.require(
                !textEncoders.isEmpty() && textEncoders.size() <= MAX_ENCODERS,
                "text-encoders",
                textEncoders,
                "1 to " + MAX_ENCODERS + " encoders");
        Rule.require(
                new LinkedHashSet<>(textEncoders).size() == textEncoders.size(),
                "text-encoders",
                textEncoders,
                "without duplicates");
        textEncoders.forEach(one -> encoder.settings(one, encoder.frameEncoder, Path.of("."), null));
        Rule.require(threshold.minRecall() > 0, "threshold.min-recall", threshold.minRecall(), "in (0, 100]");
        if (devShare + calibration.share() >= 1) {
            throw new IllegalArgumentException("dev-share = " + devShare + ", calibration.share = "
                    + calibration.share() + ": together they must leave samples to train on");
        }
        if (vectors == null && tfIdf == null && steps == null) {
            throw new IllegalArgumentException("vectors, tf-idf and steps are all null: at least one is needed");
        }
        if (perceiver != null) {
            perceiver.config(seed, textEncoders.get(0), encoder, threshold);
        }
    }

    /**
     * The settings of all text encoders.
     *
     * @param precision of their arithmetic
     * @param longText rule for texts beyond the encoder's tokens
     * @param frameEncoder encoder of the perceiver's screenshots; the other members read the text on them
     * @param threads texts or images encoded in parallel
     */
    public record Encoder(EncoderPrecision precision, LongText longText, String frameEncoder, int threads) {
        private EncoderSettings settings(String text, String frames, Path store, @Nullable Path images) {
            return new EncoderSettings(text, precision, longText, frames, threads, store, images);
        }
    }

    /**
     * Regressions on the vectors of profile, phone, world, the last step and the mean of the steps.
     *
     * @param c inverse regularisation strengths to try
     */
    public record Vectors(List<Double> c) {
        public Vectors {
            c = grid(c);
        }
    }

    /**
     * Regressions on TF-IDF: of the context and the last step, and of the context and all steps.
     *
     * @param analyzer units of the terms: words, or single Chinese characters and words of other scripts
     * @param c inverse regularisation strengths to try
     */
    public record Terms(TextAnalyzer analyzer, List<Double> c) {
        public Terms {
            c = grid(c);
        }
    }

    /**
     * The classifier of single steps.
     *
     * @param analyzer units of the terms: words, or single Chinese characters and words of other scripts
     */
    public record Steps(TextAnalyzer analyzer) {}

    private static List<Double> grid(List<Double> c) {
        Rule.require(!c.isEmpty() && c.stream().allMatch(one -> one > 0), "c", c, "numbers above 0, at least one");
        return List.copyOf(c);
    }

    /** The perceiver's parts of {@link MppConfig}; its dev share is of the training samples, for early stopping. */
    public record Network(
            Device device,
            MppConfig.Network network,
            JointLoss loss,
            MppConfig.Optimizer optimizer,
            MppConfig.Training training) {
        private MppConfig config(long seed, String text, Encoder encoder, ThresholdRule.MinRecall threshold) {
            return new MppConfig(
                    seed,
                    device,
                    network,
                    loss,
                    optimizer,
                    training,
                    new MppConfig.Encoder(
                            text, encoder.precision, encoder.longText, encoder.frameEncoder, encoder.threads),
                    new MppConfig.Calibration(CalibrationMethod.NONE, 0),
                    threshold);
        }
    }

    /** Returns the configuration of the perceiver's trainings; null without a perceiver. */
    public @Nullable MppConfig perceiverConfig() {
        return perceiver == null ? null : perceiver.config(seed, textEncoders.get(0), encoder, threshold);
    }

    @Override
    public Device device() {
        return perceiver == null ? Device.CPU : perceiver.device;
    }

    @Override
    public EncoderSettings encoders(Path store, @Nullable Path images) {
        String frames = perceiver == null ? ImageEncoderChoice.DEFAULT : encoder.frameEncoder;
        return encoder.settings(textEncoders.get(0), frames, store, images);
    }

    /**
     * Returns the settings of each text encoder for the linear members.
     *
     * @param places settings that give the store and the root of images
     */
    public List<EncoderSettings> linearEncoders(EncoderSettings places) {
        return textEncoders.stream()
                .map(text -> encoder.settings(text, ImageEncoderChoice.DEFAULT, places.store(), places.images()))
                .toList();
    }

    /** Returns the plans of the members without the perceiver. */
    public List<MemberPlan> members() {
        List<MemberPlan> members = new ArrayList<>();
        if (vectors != null) {
            members.addAll(MemberPlan.ofVectors(textEncoders, vectors.c));
        }
        if (tfIdf != null) {
            members.add(MemberPlan.ofTerms(tfIdf.analyzer, tfIdf.c));
            members.add(MemberPlan.ofHistory(tfIdf.analyzer, tfIdf.c));
        }
        if (steps != null) {
            members.add(MemberPlan.ofSteps(steps.analyzer));
        }
        return members;
    }
}
