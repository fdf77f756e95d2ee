package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.openblas.presets.openblas_nolapack;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The body for the host at the ends of every range, with numbers that are none, beside others and between evaluations. */
class HostPlanEdgesTest {
    private static final JointLoss LOSS = new JointLoss(2, 0.5, 0.5);
    private static final int PAST_THE_MEASURED_RUNS = 14;

    @BeforeAll
    static void start() {
        Nd4jBackend.start();
    }

    @ParameterizedTest(
            name =
                    "slow {0}, fast {1}, heads {2}, layers {3}, k {4}, T {5}, batch {6}, dropout {7}, sentences {8}, shared {9}")
    @CsvSource({
        "true, true, 1, 1, 4, 1, 1, 0, 0, false",
        "true, true, 24, 3, 6, 2, 1, 0, 0, false",
        "true, true, 2, 1, 9, 5, 3, 0.3, 1, true",
        "true, false, 3, 2, 1, 16, 4, 0.3, 2, true",
        "true, false, 3, 1, 1, 1, 1, 0.9, 0, false",
        "false, true, 8, 1, 9, 16, 4, 0.3, 5, false",
        "false, true, 3, 2, 2, 1, 1, 0, 0, true"
    })
    void everySwitchGivesWhatThePortableBodyGives(
            boolean slow,
            boolean fast,
            int heads,
            int layers,
            int recent,
            int steps,
            int rows,
            double dropout,
            int sentences,
            boolean shared) {
        NetworkShape shape =
                new NetworkShape(13, 24, heads, layers, 17, recent, 16, 16, 5, dropout, slow, fast, sentences, shared);
        List<SampleFeatures> samples = MadeFeatures.of(rows, 13, 5, 12, 6); // of 1 to 12 steps
        if (sentences > 0) {
            samples = MadeFeatures.withSentences(samples, 2); // of 1 to 5 sentences
        }
        FeatureBatch batch = FeatureBatch.of(samples, shape, rows, steps);
        Map<String, INDArray> parameters = MadeSide.parameters(shape);
        MadeSide host = MadeSide.host(shape, rows, steps, parameters);
        MadeSide portable = MadeSide.portable(shape, rows, steps, parameters);
        assertThat(host.plan().dropoutSites())
                .isEqualTo(portable.plan().dropoutSites())
                .hasSize(dropout == 0 ? 0 : 1 + 2 * layers * (slow && fast ? 2 : 1));
        for (MadeSide side : List.of(host, portable)) {
            side.fill(batch, shape);
            side.run();
            side.run(); // gradients are made anew, not added to the last run's
        }
        assertThat(host.fused()).containsExactly(portable.fused(), within(2e-5f));
        for (String name : parameters.keySet()) {
            float[] expected = portable.gradient(name);
            float largest = 0;
            for (float value : expected) {
                largest = Math.max(largest, Math.abs(value));
            }
            assertThat(host.gradient(name)).as(name).containsExactly(expected, within(1e-4f * Math.max(1, largest)));
        }
    }

    /** A batch's other samples do not see it, the loss does (a run ends with 10), and the next batch is as if it had never been. */
    @Test
    void aNumberThatIsNoneStaysInItsSampleAndItsRun() {
        NetworkShape shape = new NetworkShape(20, 24, 3, 2, 40, 4, 7, 7, 5, 0.2, true, true);
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(3, 20, 5, 7, 6), shape, 3, 7);
        MadeSide host = MadeSide.host(shape, 3, 7, MadeSide.parameters(shape));
        host.fill(batch, shape);
        host.run();
        float[] clean = host.fused();
        Map<String, float[]> gradients = gradients(host);

        int width = shape.fusedWidth();
        INDArray frames = host.plan().placeholder(MppBody.FRAMES); // (B * T, 2E), the second sample's first step
        float kept = frames.getFloat(7, 3);
        frames.putScalar(7, 3, Float.NaN);
        host.run();
        float[] broken = host.fused();
        assertThat(Arrays.copyOf(broken, width)).containsExactly(Arrays.copyOf(clean, width));
        assertThat(Arrays.copyOfRange(broken, width, 2 * width)).contains(Float.NaN);
        assertThat(Arrays.copyOfRange(broken, 2 * width, 3 * width))
                .containsExactly(Arrays.copyOfRange(clean, 2 * width, 3 * width));
        assertThat(host.gradient("frames.weight")).contains(Float.NaN);

        frames.putScalar(7, 3, kept);
        host.run();
        assertThat(host.fused()).containsExactly(clean);
        gradients.forEach(
                (name, gradient) -> assertThat(host.gradient(name)).as(name).containsExactly(gradient));
    }

    private static Map<String, float[]> gradients(MadeSide side) {
        Map<String, float[]> gradients = new LinkedHashMap<>();
        side.gradients().keySet().forEach(name -> gradients.put(name, side.gradient(name)));
        return gradients;
    }

    @Test
    void trainingThatDropsNothingIsEvaluationBitForBit() {
        NetworkShape shape = new NetworkShape(20, 24, 3, 2, 40, 4, 7, 7, 5, 0.2, true, true);
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(3, 20, 5, 7, 6), shape, 3, 7);
        Map<String, INDArray> parameters = MadeSide.parameters(shape);
        MadeSide training = MadeSide.host(shape, 3, 7, parameters);
        MadeSide evaluation = new MadeSide(new HostPlan(shape, 3, 7, parameters, Map.of()), Map.of());
        training.fill(batch, shape);
        evaluation.fillInputs(batch);
        training.plan().runForward();
        evaluation.plan().runForward();
        assertThat(training.fused()).isNotEqualTo(evaluation.fused());
        for (MppBody.DropoutSite site : training.plan().dropoutSites()) {
            training.plan().placeholder(site.name()).assign(1);
        }
        training.plan().runForward();
        assertThat(training.fused()).containsExactly(evaluation.fused());
    }

    /** Both plans are past the measured runs for half of the time, so that four lanes share the machine and one second lane. */
    @Test
    void twoPlansOnTwoThreadsGiveTheirOwnBits() throws InterruptedException {
        NetworkShape shape = new NetworkShape(64, 128, 4, 2, 256, 4, 7, 7, 5, 0, true, true);
        Map<String, INDArray> parameters = MadeSide.parameters(shape);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (long seed : new long[] {6, 7}) {
            MadeSide side = MadeSide.host(shape, 16, 7, parameters);
            side.fill(FeatureBatch.of(MadeFeatures.of(16, 64, 5, 7, seed), shape, 16, 7), shape);
            side.run();
            Map<String, float[]> alone = gradients(side);
            threads.add(new Thread(() -> {
                for (int run = 0; run < 2 * PAST_THE_MEASURED_RUNS; run++) {
                    side.run();
                    alone.forEach((name, gradient) ->
                            assertThat(side.gradient(name)).as(name).isEqualTo(gradient));
                }
            }));
        }
        threads.forEach(thread -> thread.setUncaughtExceptionHandler((at, thrown) -> failures.add(thrown)));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }

    /** Dropout's masks, lengths that change from batch to batch and a smaller last batch: all of training but the precision. */
    @Test
    void trainingFollowsThePortableBodyInDoubles() {
        NetworkShape shape = new NetworkShape(
                16, 32, 4, 2, 64, 4, NetworkShape.UNLIMITED, NetworkShape.UNLIMITED, 5, 0.2, true, true, 2, true);
        List<FeatureBatch> batches = batches(shape);
        double[] floats = losses(shape, DataType.FLOAT, batches, false);
        double[] doubles = losses(shape, DataType.DOUBLE, batches, false);
        assertThat(floats).containsExactly(doubles, within(1e-4));
        assertThat(floats[floats.length - 1]).isLessThan(floats[0]);
    }

    @Test
    void evaluationBetweenStepsChangesNoBit() {
        NetworkShape shape = new NetworkShape(16, 32, 4, 2, 64, 4, 64, 64, 5, 0.2, true, true, 2, false);
        List<FeatureBatch> batches = batches(shape);
        assertThat(losses(shape, DataType.FLOAT, batches, true))
                .containsExactly(losses(shape, DataType.FLOAT, batches, false));
    }

    /** Five shapes, more than plans are kept of, so that plans are made again. */
    private static List<FeatureBatch> batches(NetworkShape shape) {
        List<FeatureBatch> batches = new ArrayList<>();
        for (int longest : new int[] {40, 3, 20, 60}) {
            batches.add(
                    FeatureBatch.of(MadeFeatures.withSentences(MadeFeatures.of(8, 16, 5, longest, longest), 2), shape));
        }
        batches.add(FeatureBatch.of(MadeFeatures.withSentences(MadeFeatures.of(3, 16, 5, 3, 9), 2), shape));
        return batches;
    }

    private static double[] losses(NetworkShape shape, DataType type, List<FeatureBatch> batches, boolean evaluated) {
        double[] losses = new double[3 * batches.size()];
        try (MppNetwork network = new MppNetwork(shape, LOSS, 3, type)) {
            for (int i = 0; i < losses.length; i++) {
                FeatureBatch batch = batches.get(i % batches.size());
                losses[i] = network.backward(batch);
                network.update(batch, 1e-3, 0.01);
                if (evaluated) {
                    network.logits(batches.get((i + 1) % batches.size()));
                }
            }
        }
        return losses;
    }

    @Test
    void productsRunOnOneThread() {
        assertThat(openblas_nolapack.blas_get_num_threads()).isEqualTo(1);
    }
}
