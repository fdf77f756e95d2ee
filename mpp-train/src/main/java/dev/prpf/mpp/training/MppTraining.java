package dev.prpf.mpp.training;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.DivergedException;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.AdamMoments;
import dev.prpf.mpp.network.graph.PerceiverGraph;
import dev.prpf.mpp.network.graph.PerceiverInputs;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.split.SampleSplit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.deeplearning4j.datasets.iterator.IteratorMultiDataSetIterator;
import org.deeplearning4j.earlystopping.scorecalc.ScoreCalculator;
import org.deeplearning4j.earlystopping.termination.MaxEpochsTerminationCondition;
import org.deeplearning4j.earlystopping.termination.ScoreImprovementEpochTerminationCondition;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.dataset.api.MultiDataSet;
import org.nd4j.linalg.dataset.api.iterator.MultiDataSetIterator;

/**
 * Trains the perceiver in memory (PRPF §3.5) by {@link ComputationGraph#fit}, in shuffled epochs. Each epoch ends with the joint loss over
 * the dev samples, for early stopping. All randomness follows from seed, epoch and step.
 */
public final class MppTraining {
    /** The settings of a training in memory, with a maximum number of epochs and the patience of early stopping. */
    public record Settings(
            long seed, NetworkShape shape, JointLoss loss, MppConfig.Optimizer optimizer, int epochs, int patience) {
        /** Returns a configuration's settings for an encoder width and a number of scenarios. */
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

    /** A line of metrics for a step, with the batch's joint loss before the step. */
    public record Step(@JsonIgnore long step, int epoch, double loss) {}

    /**
     * A line of metrics for the end of an epoch.
     *
     * @param epoch from 1
     * @param trainLoss mean of its batch losses
     * @param devLoss joint loss over the dev samples; null without dev samples
     * @param improved whether the dev loss is the smallest so far
     */
    public record EpochEnd(
            int epoch, double trainLoss, @Nullable Double devLoss, @JsonProperty("best") boolean improved) {}

    /**
     * The progress of a training; together with the network's arrays and the optimizer's state enough to resume.
     *
     * @param step optimizer steps done
     * @param epoch the current epoch, from 0
     * @param batch finished batches of that epoch
     * @param lossSum sum of this epoch's batch losses, weighted by batch size
     * @param bestDevLoss smallest dev loss so far; null before the first epoch ended
     * @param epochsSinceBest finished epochs since then
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

        private State afterEpoch(@Nullable Double devLoss, boolean improved, boolean ended) {
            int sinceBest = improved || devLoss == null ? 0 : epochsSinceBest + 1;
            return improved
                    ? new State(step, epoch + 1, 0, 0, devLoss, step, 0, ended)
                    : new State(step, epoch + 1, 0, 0, bestDevLoss, bestStep, sinceBest, ended);
        }
    }

    private final Settings settings;
    private final List<SampleFeatures> train;
    private final List<SampleFeatures> dev;
    private final PerceiverInputs inputs;
    private final ScoreImprovementEpochTerminationCondition patience;
    private final MaxEpochsTerminationCondition limit;
    private ComputationGraph graph;
    private State state = new State(0, 0, 0, 0, null, 0, 0, false);
    private Step lastStep = new Step(0, 0, 0);
    private @Nullable EpochEnd lastEpoch;

    /**
     * Makes a training of labelled samples, already oversampled if configured. Without dev samples there is no early stopping.
     *
     * @throws PrpfException 65 if a sample is unlabelled or a class is empty
     */
    public MppTraining(Settings settings, List<SampleFeatures> train, List<SampleFeatures> dev) {
        this(settings, train, dev, graph(settings));
    }

    MppTraining(Settings settings, List<SampleFeatures> train, List<SampleFeatures> dev, ComputationGraph graph) {
        SampleSplit.requireBothClasses("training", train);
        if (!dev.isEmpty()) {
            SampleSplit.requireBothClasses("dev", dev);
        }
        this.settings = settings;
        this.train = List.copyOf(train);
        this.dev = List.copyOf(dev);
        this.inputs = new PerceiverInputs(settings.shape(), DataType.FLOAT);
        this.patience = new ScoreImprovementEpochTerminationCondition(settings.patience());
        this.limit = new MaxEpochsTerminationCondition(settings.epochs());
        this.graph = graph;
    }

    /** Makes a training's graph with initial parameters. */
    public static ComputationGraph graph(Settings settings) {
        MppConfig.Optimizer optimizer = settings.optimizer();
        PerceiverGraph.Objective objective = new PerceiverGraph.Objective(
                settings.loss(), new AdamMoments(optimizer.learningRate()), optimizer.weightDecay());
        return PerceiverGraph.of(settings.shape(), objective, settings.seed());
    }

    /** Resumes from a state, with a graph restored from the same checkpoint. */
    public void restore(State restored, ComputationGraph checkpoint) {
        state = restored;
        graph = checkpoint;
        // DL4J counts a step after its listeners ran, including the one that wrote the checkpoint.
        graph.getConfiguration().setIterationCount(Math.toIntExact(restored.step()));
        graph.getConfiguration().setEpochCount(restored.epoch());
        if (restored.bestDevLoss() != null) {
            patience.terminate(restored.epoch() - 1 - restored.epochsSinceBest(), restored.bestDevLoss(), true);
        }
    }

    /** Trains to the end. Listeners are called after the state has changed; an exception of a listener ends the training. */
    public State fit(TrainingListener... listeners) {
        List<TrainingListener> all = new ArrayList<>(List.of(new Progress()));
        all.addAll(List.of(listeners));
        graph.setListeners(all);
        while (!state.done()) {
            graph.fit(batchesLeft());
        }
        return state;
    }

    /** Returns the remaining batches of the current epoch. Not asynchronous, since batches share arrays. */
    @SuppressWarnings("serial")
    private MultiDataSetIterator batchesLeft() {
        int size = settings.optimizer().batch();
        int[] order = shuffled(train.size(), settings.seed(), state.epoch());
        Iterator<MultiDataSet> batches = new Iterator<>() {
            private int from = state.batch() * size;

            @Override
            public boolean hasNext() {
                return from < order.length;
            }

            @Override
            public MultiDataSet next() {
                int[] own = Arrays.copyOfRange(order, from, Math.min(order.length, from + size));
                from += size;
                return inputs.labelled(
                        FeatureBatch.of(IntStream.of(own).mapToObj(train::get).toList(), settings.shape()));
            }
        };
        return new IteratorMultiDataSetIterator(batches, size) {
            @Override
            public boolean asyncSupported() {
                return false;
            }
        };
    }

    public State state() {
        return state;
    }

    public Step lastStep() {
        return lastStep;
    }

    public EpochEnd lastEpoch() {
        return Objects.requireNonNull(lastEpoch, "no epoch has ended");
    }

    /** Returns whether all batches of the current epoch are done, so that its end is next. */
    public boolean atEndOfEpoch() {
        return state.batch() == stepsAnEpoch();
    }

    public ComputationGraph graph() {
        return graph;
    }

    /** Copies the network as trained so far. */
    public HostEngine network() {
        return new HostEngine(PerceiverGraph.parameters(graph));
    }

    /** Number of steps of all epochs; early stopping may save some. */
    public long mostSteps() {
        return (long) settings.epochs() * stepsAnEpoch();
    }

    private int stepsAnEpoch() {
        return (train.size() + settings.optimizer().batch() - 1)
                / settings.optimizer().batch();
    }

    /** Follows the graph's training: losses, early stopping, divergence. */
    private final class Progress extends BaseTrainingListener {
        private double loss;

        /** @throws PrpfException 10 if the loss is not finite; the parameters are still those before the step */
        @Override
        public void onGradientCalculation(Model model) {
            loss = graph.score() - graph.calcRegularizationScore(true); // DL4J's score includes the heads' decay
            requireFinite(loss, "batch loss");
        }

        @Override
        public void iterationDone(Model model, int iteration, int epoch) {
            int batch = settings.optimizer().batch();
            int samples = Math.min(batch, train.size() - state.batch() * batch);
            state = state.afterBatch(state.lossSum() + loss * samples);
            lastStep = new Step(state.step(), state.epoch() + 1, loss);
        }

        @Override
        public void onEpochEnd(Model model) {
            double trainLoss = state.lossSum() / train.size();
            int epoch = state.epoch();
            Double before = state.bestDevLoss();
            boolean ended = limit.terminate(epoch, 0, true);
            Double measured = null;
            if (!dev.isEmpty()) {
                measured = new DevLoss().calculateScore(graph);
                requireFinite(measured, "dev loss");
                ended |= patience.terminate(epoch, measured, true);
            }
            boolean improved = measured != null && (before == null || measured < before);
            state = state.afterEpoch(measured, improved, ended);
            lastEpoch = new EpochEnd(epoch + 1, trainLoss, measured, improved);
        }
    }

    /** The joint loss (PRPF eq. 12) over all dev samples, without the decay that DL4J adds to a graph's own score. */
    private final class DevLoss implements ScoreCalculator<ComputationGraph> {
        private static final long serialVersionUID = 1L;

        @Override
        public double calculateScore(ComputationGraph trained) {
            try (HostEngine network = new HostEngine(PerceiverGraph.parameters(trained))) {
                return settings.loss().of(MppModel.logits(network, dev), dev);
            }
        }

        @Override
        public boolean minimizeScore() {
            return true;
        }
    }

    private void requireFinite(double loss, String what) {
        if (!Double.isFinite(loss)) {
            throw new DivergedException(what + " = " + loss + " after step " + state.step()
                    + ": training has diverged; lower"
                    + " optimizer.learning-rate (now " + settings.optimizer().learningRate()
                    + ") or look for extreme values in the encodings");
        }
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
}
