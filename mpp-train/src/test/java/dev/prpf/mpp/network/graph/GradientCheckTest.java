package dev.prpf.mpp.network.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.util.Set;
import org.deeplearning4j.gradientcheck.GradientCheckUtil;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.dataset.MultiDataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;

/** DL4J's own check of the whole graph, both losses included, in double precision through the SameDiff body. */
@Tag("slow")
class GradientCheckTest {
    private static final JointLoss LOSS = new JointLoss(2, 0.3, 0.5);

    @BeforeAll
    static void doubles() {
        Device.current();
        Nd4j.setDefaultDataTypes(DataType.DOUBLE, DataType.DOUBLE);
    }

    @AfterAll
    static void floats() {
        Nd4j.setDefaultDataTypes(DataType.FLOAT, DataType.FLOAT);
    }

    private static MultiDataSet made(NetworkShape shape) {
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(4, shape.width(), shape.scenarios(), 4, 11), shape);
        return new PerceiverInputs(shape, DataType.DOUBLE).labelled(batch);
    }

    private static boolean passes(ComputationGraph graph, MultiDataSet set) {
        return GradientCheckUtil.checkGradients(new GradientCheckUtil.GraphConfig()
                .net(graph)
                .epsilon(1e-6)
                .maxRelError(1e-4)
                .minAbsoluteError(1e-9)
                .print(GradientCheckUtil.PrintMode.FAILURES_ONLY)
                .inputs(set.getFeatures())
                .labels(set.getLabels())
                .labelMask(set.getLabelsMaskArrays())
                .excludeParams(Set.of()));
    }

    @ParameterizedTest(name = "slow {0}, fast {1}")
    @CsvSource({"true, true", "true, false", "false, true"})
    void everyGradientPassesDl4jsCheck(boolean slow, boolean fast) {
        NetworkShape shape = MadeShape.small()
                .inputs(2, 0, false)
                .window(2, 3, 3)
                .transformer(2, 1, 1, 2)
                .channels(slow, fast)
                .scenarios(2)
                .shape();
        ComputationGraph graph =
                PerceiverGraph.of(shape, new PerceiverGraph.Objective(LOSS, new NoOp(), 0), 3, DataType.DOUBLE);
        MultiDataSet set = made(shape);
        assertThat(set.getLabels(0).sumNumber().intValue())
                .as("samples that act, so that both losses count")
                .isBetween(1, 3);
        assertThat(passes(graph, set)).isTrue();
    }
}
