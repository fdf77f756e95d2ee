package dev.prpf.mpp.training;

import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.PerceiverGraph;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.split.SampleSplit;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.training.TrainingJob.MppTrainingRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.GradientUpdater;
import org.nd4j.linalg.learning.NoOpUpdater;
import org.nd4j.linalg.learning.config.NoOp;

/** A small training with dropout in a run directory, in this process or (to be killed) in one of its own. */
final class KillableTraining {
    static final int EPOCHS = 6;
    private static final NetworkShape SHAPE =
            MadeShape.small().transformer(32, 4, 1, 64).dropout(0.2).shape();
    private static final MppTraining.Settings SETTINGS = new MppTraining.Settings(
            42, SHAPE, new JointLoss(2, 0.5, 0.5), new MppConfig.Optimizer(2e-3, 0.01, 16), EPOCHS, 3);

    private KillableTraining() {}

    /** Trains or resumes in the directory until the end or the signal. */
    static MppTraining.State train(Path directory, StopSignal signal) {
        return train(directory, signal, null);
    }

    /** Trains with updates of zero, and in the second epoch with updates of NaN. */
    static MppTraining.State diverge(Path directory, StopSignal signal) {
        PerceiverGraph.Objective objective = new PerceiverGraph.Objective(SETTINGS.loss(), new Diverging(), 0);
        return train(directory, signal, PerceiverGraph.of(SHAPE, objective, 42));
    }

    private static MppTraining.State train(Path directory, StopSignal signal, @Nullable ComputationGraph graph) {
        SampleSplit split = SampleSplit.of(MadeFeatures.of(140, 16, 5, 10, 1), 0.2, 0, 42);
        MppDescription description =
                new MppDescription(SHAPE, SETTINGS.loss(), List.of("a", "b", "c", "d", "e"), "text", "frame");
        try (RunDirectory run = RunDirectory.open(
                directory,
                Resume.AUTO,
                new RunDescription("gate train", List.of("--config", "made.yaml"), "", Map.of()))) {
            List<SampleFeatures> train = SampleSplit.oversampled(split.of(Split.TRAIN), false, 42);
            MppTraining training = graph == null
                    ? new MppTraining(SETTINGS, train, split.of(Split.DEV))
                    : new MppTraining(SETTINGS, train, split.of(Split.DEV), graph);
            return new MppTrainingRun(training, description, run, 4).train(signal);
        }
    }

    private static final class Diverging extends NoOp {
        private static final long serialVersionUID = 1L;

        @Override
        public GradientUpdater<NoOp> instantiate(INDArray view, boolean initialize) {
            return new NoOpUpdater(this) {
                @Override
                public void applyUpdater(INDArray gradient, int iteration, int epoch) {
                    gradient.assign(epoch == 0 ? 0 : Double.NaN);
                }
            };
        }
    }

    public static void main(String[] arguments) {
        try (StopSignal signal = StopSignal.install()) {
            train(Path.of(arguments[0]), signal);
        }
        System.exit(0);
    }
}
