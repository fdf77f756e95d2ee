package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkEngine;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;

/** Training on batches of changing shapes, beside the other engine and between evaluations. */
class MppNetworkEdgesTest {
    private static final JointLoss LOSS = new JointLoss(2, 0.5, 0.5);
    private static final long SEED = 3;
    private static final NetworkShape SHAPE = MadeShape.small()
            .inputs(16, 2, true)
            .window(4, NetworkShape.UNLIMITED, NetworkShape.UNLIMITED)
            .dropout(0.2)
            .shape();

    /** Dropout's masks, lengths that change from batch to batch and a smaller last batch: all of training but the precision. */
    @Test
    void trainingFollowsTheGraphInDoubles() {
        double[] floats = losses(MadeEngines.host(SHAPE, 2), false);
        double[] doubles = losses(MadeEngines.graph(SHAPE, DataType.DOUBLE), false);
        assertThat(floats).containsExactly(doubles, within(1e-4));
        assertThat(floats[floats.length - 1]).isLessThan(floats[0]);
    }

    @Test
    void evaluationBetweenStepsChangesNothing() {
        assertThat(losses(MadeEngines.host(SHAPE, 2), true))
                .containsExactly(losses(MadeEngines.host(SHAPE, 2), false), within(1e-9));
    }

    /** Five shapes, more than plans are kept of, so that plans are made again. */
    private static List<FeatureBatch> batches() {
        List<FeatureBatch> batches = new ArrayList<>();
        for (int longest : new int[] {40, 3, 20, 60}) {
            batches.add(
                    FeatureBatch.of(MadeFeatures.withSentences(MadeFeatures.of(8, 16, 5, longest, longest), 2), SHAPE));
        }
        batches.add(FeatureBatch.of(MadeFeatures.withSentences(MadeFeatures.of(3, 16, 5, 3, 9), 2), SHAPE));
        return batches;
    }

    private static double[] losses(NetworkEngine engine, boolean evaluated) {
        List<FeatureBatch> batches = batches();
        double[] losses = new double[3 * batches.size()];
        try (MppNetwork network = new MppNetwork(SHAPE, LOSS, SEED, engine)) {
            for (int i = 0; i < losses.length; i++) {
                losses[i] = network.backward(batches.get(i % batches.size()));
                network.update(1e-3, 0.01);
                if (evaluated) {
                    network.logits(batches.get((i + 1) % batches.size()));
                }
            }
        }
        return losses;
    }
}
