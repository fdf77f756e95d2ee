package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.split.SampleSplit;
import dev.prpf.mpp.split.SampleSplit.Split;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.junit.jupiter.api.Test;

class MppTrainingTest {
    private static final NetworkShape SHAPE =
            MadeShape.small().transformer(32, 4, 1, 64).dropout(0.1).shape();
    private static final MppTraining.Settings SETTINGS = new MppTraining.Settings(
            42, SHAPE, new JointLoss(2, 0.5, 0.5), new MppConfig.Optimizer(3e-3, 0.01, 16), 8, 3);
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");

    @Test
    void learnsAndIsTheSameTwice() {
        SampleSplit split = SampleSplit.of(MadeFeatures.of(240, 16, 5, 10, 1), 0.2, 0, 42);
        List<SampleFeatures> test = MadeFeatures.of(100, 16, 5, 10, 2);
        List<Perception> first = perceptions(split, test);
        int right = 0;
        for (int i = 0; i < test.size(); i++) {
            right += (first.get(i).pTrigger() >= 0.5)
                            == Boolean.TRUE.equals(test.get(i).intervention())
                    ? 1
                    : 0;
        }
        assertThat(right).isGreaterThan(90);
        assertThat(perceptions(split, test)).isEqualTo(first);
    }

    private static List<Perception> perceptions(SampleSplit split, List<SampleFeatures> test) {
        MppDescription description = new MppDescription(SHAPE, SETTINGS.loss(), NAMES, "t", "f");
        MppTraining training = new MppTraining(SETTINGS, split.of(Split.TRAIN), split.of(Split.DEV));
        training.fit();
        return new MppModel(description, training.network(), new ProbabilityCalibration.None()).perceive(test);
    }

    @Test
    void smallestDevLossStopsTraining() {
        MppTraining.Settings hasty = new MppTraining.Settings(
                42, SHAPE, new JointLoss(2, 0.5, 0.5), new MppConfig.Optimizer(0.05, 0, 16), 50, 2);
        SampleSplit split = SampleSplit.of(MadeFeatures.of(100, 16, 5, 10, 1), 0.2, 0, 42);
        List<Double> devLosses = new ArrayList<>();
        MppTraining training = new MppTraining(hasty, split.of(Split.TRAIN), split.of(Split.DEV));
        MppTraining.State end = training.fit(new BaseTrainingListener() {
            @Override
            public void onEpochEnd(Model model) {
                devLosses.add(training.lastEpoch().devLoss());
            }
        });
        assertThat(end.bestDevLoss())
                .isEqualTo(devLosses.stream().min(Double::compare).orElseThrow());
        assertThat(devLosses.size()).isLessThan(50);
        assertThat(end.epochsSinceBest()).isEqualTo(2);
    }

    @Test
    void divergenceIsDistinguishedFromBugs() {
        MppTraining.Settings wild = new MppTraining.Settings(
                42, SHAPE, new JointLoss(2, 0.5, 0.5), new MppConfig.Optimizer(1e30, 0, 16), 50, 50);
        SampleSplit split = SampleSplit.of(MadeFeatures.of(100, 16, 5, 10, 1), 0.2, 0, 42);
        MppTraining training = new MppTraining(wild, split.of(Split.TRAIN), split.of(Split.DEV));
        assertThatThrownBy(training::fit)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.DIVERGED))
                .hasMessageContaining("learning-rate");
    }

    @Test
    void nonFiniteFeatureIsBadDataBeforeTheNetwork() {
        List<SampleFeatures> samples = MadeFeatures.of(20, 16, 5, 10, 1);
        samples.get(3).context()[1][0][2] = Float.NaN;
        MppTraining training = new MppTraining(SETTINGS, samples, List.of());
        assertThatThrownBy(training::fit)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("sample s3 has NaN at index 2 of context vector 0");
    }

    @Test
    void everyEpochSeesEverySampleInAnotherOrder() {
        int[] first = MppTraining.shuffled(50, 7, 0);
        assertThat(first).isNotEqualTo(MppTraining.shuffled(50, 7, 1)).containsExactly(MppTraining.shuffled(50, 7, 0));
        assertThat(first)
                .containsExactlyInAnyOrder(
                        java.util.stream.IntStream.range(0, 50).toArray());
    }
}
