package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.mpp.MadeFeatures;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;

class NetworkFlopsTest {
    private static final int STEPS = 10;

    /** What the plan of the portable graph (doubles have no other) really multiplies, its layer norms left out, and the heads added. */
    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true"})
    void theFormulaIsWhatTheGraphMultiplies(boolean slow, boolean fast) {
        NetworkShape shape = new NetworkShape(48, 32, 4, 2, 64, 4, STEPS, STEPS, 5, 0, slow, fast);
        try (MppNetwork network = new MppNetwork(shape, new JointLoss(2, 0.5, 0.5), 1, DataType.DOUBLE)) {
            network.logits(FeatureBatch.of(MadeFeatures.of(1, 48, 5, STEPS, 1), shape));
            BodyPlan plan =
                    Objects.requireNonNull(((BodyRuntime) network.graph().getVertex("body")).current());
            long multiplied = 0;
            for (PlanStep step : plan.schedules().get(0).steps()) {
                multiplied += flops(step);
            }
            long d = 32;
            int tokens = (slow ? 4 : 0) + (fast ? 4 : 0);
            long norms = 2L * shape.layers() * tokens * 4 * 2 * d; // two a layer, four products each
            long heads = 2 * 2L * shape.fusedWidth() * d + 2 * d * (1 + 5);
            assertThat(new NetworkFlops(shape).batch(STEPS)).isEqualTo(multiplied - norms + heads);
        }
    }

    @Test
    void theSentencesPoolingIsCountedToo() {
        NetworkShape plain = new NetworkShape(48, 32, 4, 2, 64, 4, STEPS, STEPS, 5, 0, true, true);
        NetworkShape pooled = new NetworkShape(48, 32, 4, 2, 64, 4, STEPS, STEPS, 5, 0, true, true, 7, false);
        long multiplied = multiplied(pooled) - multiplied(plain);
        assertThat(multiplied).isEqualTo(2L * (2 * 21 * 48 * 3));
        assertThat(new NetworkFlops(pooled).batch(STEPS) - new NetworkFlops(plain).batch(STEPS))
                .isEqualTo(multiplied);
        assertThat(new NetworkFlops(pooled).contextText() - new NetworkFlops(plain).contextText())
                .isEqualTo(2L * 2 * 7 * 48);
    }

    private static long multiplied(NetworkShape shape) {
        try (MppNetwork network = new MppNetwork(shape, new JointLoss(2, 0.5, 0.5), 1, DataType.DOUBLE)) {
            network.logits(FeatureBatch.of(MadeFeatures.of(1, 48, 5, STEPS, 1), shape));
            BodyPlan plan =
                    Objects.requireNonNull(((BodyRuntime) network.graph().getVertex("body")).current());
            return plan.schedules().get(0).steps().stream()
                    .mapToLong(NetworkFlopsTest::flops)
                    .sum();
        }
    }

    private static long flops(PlanStep step) {
        PreparedOperation prepared = (PreparedOperation) step.work();
        if (!(prepared.operation() instanceof DynamicCustomOp operation)
                || !List.of("matmul", "mmul").contains(operation.opName())) {
            return 0;
        }
        INDArray left = prepared.context().getInputArray(0);
        boolean transposed = operation.iArgs().length > 0 && operation.iArgs()[0] == 1;
        long inner = left.size(transposed ? left.rank() - 2 : left.rank() - 1);
        return 2 * prepared.context().getOutputArray(0).length() * inner;
    }

    @Test
    void theStreamingCountOfThePapersNetwork() {
        NetworkShape shape = new NetworkShape(512, 256, 4, 2, 1024, 4, 10, 10, 14, 0, true, true);
        NetworkFlops flops = new NetworkFlops(shape);
        long d = 256;
        assertThat(flops.contextText()).isEqualTo(2 * 512 * d);
        assertThat(flops.step()).isEqualTo(2 * 512 * d + 2 * d * d + 2 * 512);
        long layer = 4 * 2 * (4 * d * d + 2 * 1024 * d) + 4 * 16 * d;
        long cross = 4 * 2 * 4 * d * d + 4 * 16 * d;
        long readout = 4 * 4 * d;
        long heads = 2 * 2 * (2 * d * d) + 2 * d * 15;
        assertThat(flops.answer(10_000))
                .isEqualTo(4 * layer + 2 * cross + 2 * readout + heads + 2 * 10 * d)
                .isEqualTo(flops.answer(10))
                .isGreaterThan(flops.answer(2));
    }
}
