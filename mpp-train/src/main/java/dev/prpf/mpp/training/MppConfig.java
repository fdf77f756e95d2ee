package dev.prpf.mpp.training;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.data.encode.ImageEncoderChoice;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.mpp.calibration.CalibrationMethod;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.threshold.ThresholdRule;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of {@code gate train} (PRPF Table 4; shipped as {@code configs/gate.yaml}).
 *
 * @param seed of split, oversampling, initialization, order and dropout
 * @param device device of the training; a build for another device fails
 * @param training epochs and data
 * @param calibration of probabilities, and the samples for risk control
 * @param threshold the gate's rule (PRPF B.1)
 */
@Defaults("/configs/gate.yaml")
public record MppConfig(
        long seed,
        Device device,
        Network network,
        JointLoss loss,
        Optimizer optimizer,
        Training training,
        Encoder encoder,
        Calibration calibration,
        ThresholdRule.MinRecall threshold)
        implements GateTrainingConfig {

    public MppConfig {
        Rule.require(threshold.minRecall() > 0, "threshold.min-recall", threshold.minRecall(), "in (0, 100]");
        if (training.devShare + calibration.share >= 1) {
            throw new IllegalArgumentException("training.dev-share = " + training.devShare + ", calibration.share = "
                    + calibration.share + ": together they must leave samples to train on");
        }
        if (network.sharedSteps && !encoder.frameEncoder.equals(ImageEncoderChoice.DEFAULT)) {
            throw new IllegalArgumentException("network.shared-steps = true, encoder.frame-encoder = "
                    + encoder.frameEncoder + ": only a frame encoder that reads text (" + ImageEncoderChoice.DEFAULT
                    + ") makes vectors that the texts' projection fits; set network.shared-steps: false");
        }
    }

    @Override
    public EncoderSettings encoders(Path store, @Nullable Path images) {
        return encoder.settings(store, images);
    }

    /**
     * The components of {@link NetworkShape} and its parts; without what follows from data and encoders.
     *
     * @param maxSteps maximum number of last steps of a trajectory; null for all
     * @param maxScreenshots maximum number of last screenshots; null for all
     * @param slowChannel whether the network reads the context texts and the whole trajectory (slow channel)
     * @param fastChannel whether the network also reads the last steps by themselves (fast channel)
     * @param contextSentences maximum number of first sentences of profile, phone and world, with a vector each; null for one vector per text
     * @param sharedSteps whether screenshots share the texts' projection; only for frame encoders that read text
     */
    public record Network(
            int dimension,
            int heads,
            int layers,
            int feedForward,
            int recentSteps,
            @Nullable Integer maxSteps,
            @Nullable Integer maxScreenshots,
            double dropout,
            boolean slowChannel,
            boolean fastChannel,
            @Nullable Integer contextSentences,
            boolean sharedSteps) {
        public Network {
            Rule.require(
                    contextSentences == null || contextSentences >= 1,
                    "context-sentences",
                    contextSentences,
                    "at least 1, or null for one vector per text");
            new NetworkShape.Window(recentSteps, limit(maxSteps), limit(maxScreenshots));
            new NetworkShape.Transformer(dimension, heads, layers, feedForward, dropout);
            NetworkShape.Channels.of(slowChannel, fastChannel);
        }

        private static int limit(@Nullable Integer most) {
            return most == null ? NetworkShape.UNLIMITED : most;
        }

        /** Returns the unit of the context that gets a vector. */
        public ContextUnit contextUnit() {
            return contextSentences == null ? ContextUnit.TEXT : ContextUnit.SENTENCE;
        }

        /** Returns the network for an encoder width and a number of scenarios. */
        public NetworkShape shape(int width, int scenarios) {
            int sentences = contextSentences == null ? 0 : contextSentences;
            return new NetworkShape(
                    new NetworkShape.Inputs(width, sentences, sharedSteps),
                    new NetworkShape.Window(recentSteps, limit(maxSteps), limit(maxScreenshots)),
                    new NetworkShape.Transformer(dimension, heads, layers, feedForward, dropout),
                    NetworkShape.Channels.of(slowChannel, fastChannel),
                    scenarios);
        }
    }

    /**
     * Settings of the AdamW optimizer.
     *
     * @param learningRate step size of AdamW
     * @param weightDecay decoupled decay, on weights only
     * @param batch samples per optimizer step
     */
    public record Optimizer(double learningRate, double weightDecay, int batch) {
        public Optimizer {
            Rule.require(learningRate > 0, "learning-rate", learningRate, "above 0");
            Rule.require(weightDecay >= 0, "weight-decay", weightDecay, "at least 0");
            Rule.require(batch >= 1, "batch", batch, "at least 1");
        }
    }

    /**
     * Epochs and data of a training.
     *
     * @param epochs maximum number of epochs
     * @param patience number of epochs without a smaller dev loss before stopping
     * @param devShare share of the samples for early stopping and the threshold
     * @param counterfactuals whether each acting text sample is also trained on without its decisive steps, as a silent one
     * @param oversampleSilent whether silent training samples are repeated to the number of acting ones
     * @param checkpointSteps steps between two checkpoints; the training ends with one
     */
    public record Training(
            int epochs,
            int patience,
            double devShare,
            boolean counterfactuals,
            boolean oversampleSilent,
            int checkpointSteps) {
        public Training {
            Rule.require(epochs >= 1, "epochs", epochs, "at least 1");
            Rule.require(patience >= 1, "patience", patience, "at least 1");
            Rule.require(devShare > 0 && devShare < 1, "dev-share", devShare, "in (0, 1)");
            Rule.require(checkpointSteps >= 1, "checkpoint-steps", checkpointSteps, "at least 1");
        }
    }

    /** Settings of the frozen encoders: {@link EncoderSettings} without the paths that a command line names. */
    public record Encoder(
            String textEncoder, EncoderPrecision precision, LongText longText, String frameEncoder, int threads) {
        public Encoder {
            new EncoderSettings(textEncoder, precision, longText, frameEncoder, threads, Path.of("."), null);
        }

        /** Adds the paths that a command line names. */
        public EncoderSettings settings(Path store, @Nullable Path images) {
            return new EncoderSettings(textEncoder, precision, longText, frameEncoder, threads, store, images);
        }
    }

    /**
     * Settings of the calibration.
     *
     * @param method method to calibrate p_trigger on dev
     * @param share of the samples held out from training, stopping and calibration, for {@code gate sweep --bound-ftr} and {@code
     *     --bound-miss}
     */
    public record Calibration(CalibrationMethod method, double share) {
        public Calibration {
            Rule.require(share >= 0 && share < 1, "share", share, "in [0, 1)");
        }
    }
}
