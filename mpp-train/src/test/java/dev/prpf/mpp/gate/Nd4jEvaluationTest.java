package dev.prpf.mpp.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.PerceiverInputs;
import dev.prpf.mpp.training.MppConfig;
import dev.prpf.mpp.training.MppTraining;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nd4j.evaluation.classification.EvaluationBinary;
import org.nd4j.evaluation.classification.ROC;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.MultiDataSet;
import org.nd4j.linalg.factory.Nd4j;

/** Compares our counts and our area under the curve with ND4J's, on a trained perceiver's answers to unseen samples. */
class Nd4jEvaluationTest {
    @Test
    void evaluationBinaryAndRocAgreeWithConfusionMatrixAndArea() {
        NetworkShape shape = MadeShape.small().transformer(32, 4, 1, 64).shape();
        MppTraining training = new MppTraining(
                new MppTraining.Settings(
                        42, shape, new JointLoss(2, 0.5, 0.5), new MppConfig.Optimizer(1e-3, 0.01, 16), 1, 1),
                MadeFeatures.of(120, 16, 5, 10, 1),
                List.of());
        training.fit();
        List<SampleFeatures> test = MadeFeatures.of(200, 16, 5, 10, 2);
        MultiDataSet set = new PerceiverInputs(shape, DataType.FLOAT).labelled(FeatureBatch.of(test, shape));
        INDArray outputs = training.graph().output(set.getFeatures())[0];
        double[] pTrigger = outputs.dup().data().asDouble();
        boolean[] acts = new boolean[test.size()];
        for (int i = 0; i < acts.length; i++) {
            acts[i] = Boolean.TRUE.equals(test.get(i).intervention());
        }

        EvaluationBinary evaluation =
                new EvaluationBinary(Nd4j.createFromArray(new double[] {0.4}).reshape(1, 1));
        evaluation.eval(set.getLabels(0), outputs);
        ConfusionMatrix matrix = ConfusionMatrix.at(0.4, pTrigger, acts);
        assertThat(matrix)
                .isEqualTo(new ConfusionMatrix(
                        evaluation.truePositives(0),
                        evaluation.falsePositives(0),
                        evaluation.trueNegatives(0),
                        evaluation.falseNegatives(0)));
        assertThat(matrix.f1()).isCloseTo(100 * evaluation.f1(0), within(1e-9));
        assertThat(matrix.falsePositives() + matrix.falseNegatives())
                .as("there must be errors to compare")
                .isPositive();

        ROC exact = new ROC(0);
        exact.eval(set.getLabels(0), outputs);
        assertThat(RocCurve.area(pTrigger, acts)).isCloseTo(exact.calculateAUC(), within(1e-6));
    }
}
