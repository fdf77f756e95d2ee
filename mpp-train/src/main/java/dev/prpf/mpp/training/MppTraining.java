package dev.prpf.mpp.training;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.DivergedException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.network.MppNetwork;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.run.MppConfig;
import dev.prpf.mpp.split.SampleSplit;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Trains the perceiver in memory (PRPF §3.5), one optimizer step a call: shuffled epochs, the joint loss over the dev samples at the end
 * of each, early stopping on it. Everything random follows from seed, epoch and step.
 */
public final class MppTraining implements AutoCloseable {
    /** The settings of a training in memory: at most this many epochs, and fewer where the dev loss was not smaller for a number of them. */
    public record Settings(
            long seed, NetworkShape shape, JointLoss loss, MppConfig.Optimizer optimizer, int epochs, int patience) {
        /** A configuration's training over vectors of this width and this many scenarios. */
        public static Settings of(MppConfig config, int width, int scenarios) {
            return new Settings(
                    config.seed(),
                    config.network().shape(width, scenarios),
                    config.loss(),
                    config.optimizer(),
                    config.training().epochs(),
                    config.training().patience());
        }
    }

    /** What one step gave, a line of metrics: the batch's joint loss before it, and the end of an epoch that ended with it. */
    public record StepResult(@JsonIgnore long step, int epoch, double loss, @JsonIgnore @Nullable EpochEnd epochEnd) {}

    /**
     * The end of an epoch, a line of metrics.
     *
     * @param epoch from 1
     * @param trainLoss mean of its batch losses
     * @param devLoss joint loss over the dev samples, null without
     * @param improved whether that is the smallest so far
     */
    public record EpochEnd(
            int epoch, double trainLoss, @Nullable Double devLoss, @JsonProperty("best") boolean improved) {}

    /**
     * Where a training stands; with the network's arrays and the optimizer's state all that is needed to go on.
     *
     * @param step optimizer steps done
     * @param epoch the epoch under way, from 0
     * @param batch batches of that epoch done
     * @param lossSum sum of this epoch's batch losses, each times its batch's size
     * @param bestDevLoss smallest dev loss so far; null before the first epoch ended
     * @param bestStep the step after which it was measured
     * @param epochsSinceBest epochs ended since
     * @param done whether training has ended
     */
    public record State(
            long step,
            int epoch,
            int batch,
            double lossSum,
            @Nullable Double bestDevLoss,
            long bestStep,
            int epochsSinceBest,
            boolean done) {
        private State afterBatch(double sum) {
            return new State(step + 1, epoch, batch + 1, sum, bestDevLoss, bestStep, epochsSinceBest, false);
        }

        private State afterEpoch(@Nullable Double devLoss, boolean improved, Settings settings) {
            int sinceBest = improved || devLoss == null ? 0 : epochsSinceBest + 1;
            boolean ended = epoch + 1 >= settings.epochs() || sinceBest >= settings.patience();
            return improved
                    ? new State(step + 1, epoch + 1, 0, 0, devLoss, step + 1, 0, ended)
                    : new State(step + 1, epoch + 1, 0, 0, bestDevLoss, bestStep, sinceBest, ended);
        }
    }

    private final Settings settings;
    private final List<SampleFeatures> train;
    private final List<SampleFeatures> dev;
    private final MppNetwork network;
    private State state = new State(0, 0, 0, 0, null, 0, 0, false);
    private int shuffledEpoch = -1;
    private int[] order = new int[0];

    /**
     * Of labelled samples, oversampled already where that is wanted; without dev samples all epochs are trained, without early stopping.
     *
     * @throws PrpfException 65 if a sample is unlabelled or a class is empty
     */
    public MppTraining(Settings settings, List<SampleFeatures> train, List<SampleFeatures> dev) {
        SampleSplit.requireBothClasses("training", train);
        if (!dev.isEmpty()) {
            SampleSplit.requireBothClasses("dev", dev);
        }
        this.settings = settings;
        this.train = List.copyOf(train);
        this.dev = List.copyOf(dev);
        this.network = new MppNetwork(settings.shape(), settings.loss(), settings.seed());
    }

    /** Trains to the end; the network, closed with this training, has the arrays of the last epoch then. */
    public MppNetwork fit() {
        while (!state.done()) {
            step();
        }
        return network;
    }

    /** Goes on from a state; the network's arrays and optimizer must have been restored. */
    public void restore(State restored) {
        state = restored;
    }

    public State state() {
        return state;
    }

    public MppNetwork network() {
        return network;
    }

    /** Steps of all epochs; early stopping may leave some out. */
    public long mostSteps() {
        return (long) settings.epochs() * stepsAnEpoch();
    }

    private int stepsAnEpoch() {
        return (train.size() + settings.optimizer().batch() - 1)
                / settings.optimizer().batch();
    }

    /**
     * One optimizer step, and the epoch's end where it is due.
     *
     * @throws PrpfException 10 if the loss is not finite
     */
    public StepResult step() {
        if (state.done()) {
            throw new IllegalStateException("training ended after step " + state.step());
        }
        List<SampleFeatures> samples = nextSamples();
        FeatureBatch batch = FeatureBatch.of(samples, settings.shape());
        double loss = network.backward(batch);
        requireFinite(loss, "batch loss");
        network.update(settings.optimizer().learningRate(), settings.optimizer().weightDecay());
        double sum = state.lossSum() + loss * samples.size();
        int epoch = state.epoch() + 1;
        EpochEnd end = null;
        if (state.batch() + 1 < stepsAnEpoch()) {
            state = state.afterBatch(sum);
        } else {
            end = endEpoch(epoch, sum / train.size());
        }
        return new StepResult(state.step(), epoch, loss, end);
    }

    private EpochEnd endEpoch(int epoch, double trainLoss) {
        Double before = state.bestDevLoss();
        Double devLoss = dev.isEmpty() ? null : devLoss();
        boolean improved = devLoss != null && (before == null || devLoss < before);
        state = state.afterEpoch(devLoss, improved, settings);
        return new EpochEnd(epoch, trainLoss, devLoss, improved);
    }

    /** PRPF eq. 12 over all dev samples at once. */
    private double devLoss() {
        double loss =
                settings.loss().evaluate(MppModel.logits(network, dev), dev).loss();
        requireFinite(loss, "dev loss");
        return loss;
    }

    private void requireFinite(double loss, String what) {
        if (!Double.isFinite(loss)) {
            throw new DivergedException(what + " = " + loss + " after step " + state.step()
                    + ": training has diverged; lower"
                    + " optimizer.learning-rate (now " + settings.optimizer().learningRate()
                    + ") or look for extreme values in the encodings");
        }
    }

    private List<SampleFeatures> nextSamples() {
        if (shuffledEpoch != state.epoch()) {
            order = shuffled(train.size(), settings.seed(), state.epoch());
            shuffledEpoch = state.epoch();
        }
        int batch = settings.optimizer().batch();
        int from = state.batch() * batch;
        int to = Math.min(train.size(), from + batch);
        return IntStream.range(from, to).mapToObj(i -> train.get(order[i])).toList();
    }

    static int[] shuffled(int n, long seed, int epoch) {
        int[] order = new int[n];
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + epoch + 1);
        for (int i = 0; i < n; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }

    @Override
    public void close() {
        network.close();
    }
}
