package dev.prpf.mpp;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.encode.ContextUnit;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.FrameEncoderChoice;
import dev.prpf.data.encode.LongText;
import dev.prpf.data.encode.Precision;
import dev.prpf.mpp.calibration.CalibrationMethod;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.training.TrainingSettings;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of {@code mpp train} (PRPF Table 4; shipped as {@code configs/mpp.yaml}).
 *
 * @param seed of split, oversampling, initialization, order and dropout
 * @param device where training runs; a build for another device refuses
 * @param network the network's dimensions
 * @param loss the objective
 * @param optimizer AdamW
 * @param training epochs and data
 * @param encoder the frozen encoders
 * @param calibration of probabilities, and the samples kept for guarantees
 * @param threshold the gate's rule
 */
public record MppConfig(
        long seed,
        Device device,
        Network network,
        JointLoss loss,
        Optimizer optimizer,
        Training training,
        Encoder encoder,
        Calibration calibration,
        Threshold threshold) {

    public MppConfig {
        if (training.devShare + calibration.share >= 1) {
            throw new IllegalArgumentException("training.dev-share = " + training.devShare + ", calibration.share = "
                    + calibration.share + ": together they must leave samples to train on");
        }
        if (network.sharedSteps && !encoder.frameEncoder.equals(FrameEncoderChoice.DEFAULT)) {
            throw new IllegalArgumentException("network.shared-steps = true, encoder.frame-encoder = "
                    + encoder.frameEncoder + ": only a frame encoder that reads text (" + FrameEncoderChoice.DEFAULT
                    + ") makes vectors that the texts' projection fits; set network.shared-steps: false");
        }
    }

    /**
     * See {@link NetworkShape}; what follows from data and encoders is left out.
     *
     * @param dimension d
     * @param heads attention heads
     * @param layers encoder layers a channel
     * @param feedForward inner width of the feed-forward part
     * @param recentSteps k of PRPF eq. 5
     * @param maxSteps most steps seen of a trajectory, its last ones; null for all
     * @param maxFrames most screenshots among them; null for all
     * @param dropout share of units dropped in training
     * @param slowChannel whether the slow channel is on
     * @param fastChannel whether the fast channel is on
     * @param contextSentences most sentences seen of profile, phone and world each, its first ones, each with a vector of its own; null
     *     for one vector a text
     * @param sharedSteps whether screenshots take the texts' projection; for frame encoders that read text only
     */
    public record Network(
            int dimension,
            int heads,
            int layers,
            int feedForward,
            int recentSteps,
            @Nullable Integer maxSteps,
            @Nullable Integer maxFrames,
            double dropout,
            boolean slowChannel,
            boolean fastChannel,
            @Nullable Integer contextSentences,
            boolean sharedSteps) {
        public Network {
            if (contextSentences != null && contextSentences < 1) {
                throw new IllegalArgumentException("context-sentences = " + contextSentences
                        + ", must be at least 1, or null for one vector a text");
            }
            new NetworkShape.Window(recentSteps, limit(maxSteps), limit(maxFrames));
            new NetworkShape.Transformer(dimension, heads, layers, feedForward, dropout);
            NetworkShape.Channels.of(slowChannel, fastChannel);
        }

        private static int limit(@Nullable Integer most) {
            return most == null ? NetworkShape.UNLIMITED : most;
        }

        /** What of the context gets a vector of its own. */
        public ContextUnit contextUnit() {
            return contextSentences == null ? ContextUnit.TEXT : ContextUnit.SENTENCE;
        }

        /** The network for an encoder width and a number of scenarios. */
        public NetworkShape shape(int width, int scenarios) {
            int sentences = contextSentences == null ? 0 : contextSentences;
            return new NetworkShape(
                    new NetworkShape.Inputs(width, sentences, sharedSteps),
                    new NetworkShape.Window(recentSteps, limit(maxSteps), limit(maxFrames)),
                    new NetworkShape.Transformer(dimension, heads, layers, feedForward, dropout),
                    NetworkShape.Channels.of(slowChannel, fastChannel),
                    scenarios);
        }
    }

    /**
     * AdamW.
     *
     * @param learningRate step size
     * @param weightDecay decoupled decay, on weights only
     * @param batch samples a step
     */
    public record Optimizer(double learningRate, double weightDecay, int batch) {
        public Optimizer {
            if (!(learningRate > 0) || !(weightDecay >= 0) || batch < 1) {
                throw new IllegalArgumentException("learning-rate = " + learningRate + ", weight-decay = " + weightDecay
                        + ", batch = " + batch + ": must be above 0, at least 0 and at least 1");
            }
        }
    }

    /**
     * Epochs and data.
     *
     * @param epochs at most
     * @param patience epochs without a smaller dev loss
     * @param devShare share of the samples kept for early stopping and the threshold
     * @param oversampleSilent whether silent training samples are repeated to the number of acting ones
     * @param checkpointSteps steps between two checkpoints within an epoch; each epoch ends with one
     */
    public record Training(int epochs, int patience, double devShare, boolean oversampleSilent, int checkpointSteps) {
        public Training {
            if (epochs < 1 || patience < 1) {
                throw new IllegalArgumentException(
                        "epochs = " + epochs + ", patience = " + patience + ": each must be at least 1");
            }
            if (!(devShare > 0 && devShare < 1)) {
                throw new IllegalArgumentException("dev-share = " + devShare + ", must lie in (0, 1)");
            }
            if (checkpointSteps < 1) {
                throw new IllegalArgumentException("checkpoint-steps = " + checkpointSteps + ", must be at least 1");
            }
        }
    }

    /**
     * The frozen encoders.
     *
     * @param precision of the text encoder
     * @param longText what becomes of texts beyond its 512 tokens
     * @param frameEncoder what sees the screenshots: {@code ocr}, {@code clip:PATH} or {@code both:PATH}
     * @param threads texts or pictures encoded at once
     */
    public record Encoder(Precision precision, LongText longText, String frameEncoder, int threads) {
        public Encoder {
            FrameEncoderChoice.parse(frameEncoder);
            if (threads < 1) {
                throw new IllegalArgumentException("threads = " + threads + ", must be at least 1");
            }
        }

        /** With the places that a command line names. */
        public EncoderSettings settings(Path store, @Nullable Path images) {
            return new EncoderSettings(precision, longText, frameEncoder, threads, store, images);
        }
    }

    /**
     * Calibration.
     *
     * @param method how p_trigger is calibrated, on dev
     * @param share of the samples kept from training, stopping and calibration, for {@code mpp sweep --bound-ftr} and
     *     {@code --bound-miss}
     */
    public record Calibration(CalibrationMethod method, double share) {
        public Calibration {
            if (!(share >= 0 && share < 1)) {
                throw new IllegalArgumentException("share = " + share + ", must lie in [0, 1)");
            }
        }
    }

    /**
     * The gate's rule (PRPF B.1).
     *
     * @param minRecall smallest recall on dev, in percent
     */
    public record Threshold(double minRecall) {
        public Threshold {
            if (!(minRecall > 0 && minRecall <= 100)) {
                throw new IllegalArgumentException("min-recall = " + minRecall + ", must lie in (0, 100]");
            }
        }
    }

    /** The same with another seed. */
    public MppConfig withSeed(long other) {
        return new MppConfig(other, device, network, loss, optimizer, training, encoder, calibration, threshold);
    }

    /** The same with other channels. */
    public MppConfig withChannels(boolean slow, boolean fast) {
        return StrictYaml.readText(
                "the configuration",
                StrictYaml.write(this),
                MppConfig.class,
                List.of("network.slow-channel=" + slow, "network.fast-channel=" + fast));
    }

    /** For a training over vectors of this width and this many scenarios. */
    public TrainingSettings settings(int width, int scenarios) {
        return new TrainingSettings(
                seed,
                network.shape(width, scenarios),
                loss,
                optimizer.learningRate,
                optimizer.weightDecay,
                optimizer.batch,
                training.epochs,
                training.patience);
    }
}
