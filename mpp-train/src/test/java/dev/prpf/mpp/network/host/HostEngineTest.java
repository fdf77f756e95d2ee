package dev.prpf.mpp.network.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.MadeEngines;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.Input;
import dev.prpf.mpp.network.definition.NetworkEngine;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;

/** The hand-written passes against the SameDiff graph, which finite differences hold. */
class HostEngineTest {
    private static final int PAST_THE_MEASURED_RUNS = 12;
    private static final NetworkShape LARGE = MadeShape.small()
            .inputs(64, 0, false)
            .window(4, 7, 7)
            .transformer(128, 4, 2, 256)
            .shape();

    @ParameterizedTest(
            name =
                    "slow {0}, fast {1}, heads {2}, layers {3}, k {4}, T {5}, batch {6}, dropout {7}, sentences {8}, shared {9}, threads {10}")
    @CsvSource({
        "true, true, 3, 2, 4, 7, 6, 0, 0, false, 1",
        "true, false, 3, 2, 4, 7, 6, 0, 0, false, 2",
        "false, true, 3, 2, 4, 7, 6, 0, 0, false, 2",
        "true, true, 3, 2, 4, 7, 17, 0.2, 0, false, 8",
        "true, true, 1, 1, 4, 1, 1, 0, 0, false, 4",
        "true, true, 24, 3, 6, 2, 1, 0, 0, false, 2",
        "true, true, 2, 1, 9, 5, 3, 0.3, 1, true, 2",
        "true, true, 3, 2, 1, 7, 6, 0.2, 3, false, 2",
        "true, false, 3, 2, 1, 16, 13, 0.3, 2, true, 6",
        "true, false, 3, 1, 1, 1, 1, 0.9, 0, false, 2",
        "false, true, 8, 1, 9, 16, 4, 0.3, 5, false, 2",
        "false, true, 3, 2, 2, 1, 1, 0, 0, true, 2"
    })
    void logitsAndGradientsAreThoseOfTheGraph(
            boolean slow,
            boolean fast,
            int heads,
            int layers,
            int recent,
            int steps,
            int rows,
            double dropout,
            int sentences,
            boolean shared,
            int threads) {
        NetworkShape shape = MadeShape.small()
                .inputs(13, sentences, shared)
                .window(recent, 16, 16)
                .transformer(24, heads, layers, 130) // wide enough for a second thread
                .dropout(dropout)
                .channels(slow, fast)
                .shape();
        List<SampleFeatures> samples = MadeFeatures.of(Math.max(1, rows - 1), 13, 5, 12, 6); // the last row is empty
        if (sentences > 0) {
            samples = MadeFeatures.withSentences(samples, 2);
        }
        FeatureBatch batch = FeatureBatch.of(samples, shape, rows, steps);
        NetworkEngine host = MadeEngines.host(shape, threads);
        NetworkEngine graph = MadeEngines.graph(shape, DataType.FLOAT);
        assertClose(host.infer(batch), graph.infer(batch), 2e-5);
        assertClose(host.forward(batch, 5), graph.forward(batch, 5), 2e-5);
        graph.backward(MadeEngines.cotangent(rows, shape));
        Map<String, float[]> expected = MadeEngines.gradients(graph);
        for (int run = 0; run < 2; run++) { // gradients are made anew, not added to the last run's
            host.backward(MadeEngines.cotangent(rows, shape));
        }
        MadeEngines.gradients(host).forEach((name, gradient) -> {
            float[] wanted = Objects.requireNonNull(expected.get(name));
            float largest = 0;
            for (float value : wanted) {
                largest = Math.max(largest, Math.abs(value));
            }
            boolean oneRow = name.endsWith(".query") || (name.contains("cross") && name.contains(".query."));
            if (!oneRow || (recent > 1 && rows > 3 && steps > 1)) { // softmax over one row has no gradient
                assertThat(largest).as(name).isPositive();
            }
            assertThat(gradient).as(name).containsExactly(wanted, within(1e-4f * Math.max(1, largest)));
        });
    }

    private static void assertClose(double[][] logits, double[][] expected, double tolerance) {
        assertThat(logits.length).isEqualTo(expected.length);
        for (int row = 0; row < logits.length; row++) {
            assertThat(logits[row]).as("row %d", row).containsExactly(expected[row], within(tolerance));
        }
    }

    private static FeatureBatch large(long seed) {
        return FeatureBatch.of(MadeFeatures.of(16, 64, 5, 7, seed), LARGE, 16, 7);
    }

    private static Map<String, float[]> run(NetworkEngine engine, FeatureBatch batch) {
        engine.forward(batch, 0);
        engine.backward(MadeEngines.cotangent(batch.rows(), LARGE));
        return MadeEngines.gradients(engine);
    }

    /** The first runs are measured on one thread, later ones share the work: no bit depends on it. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void everyRunGivesTheSameBits(int threads) {
        NetworkEngine engine = MadeEngines.host(LARGE, threads);
        FeatureBatch batch = large(6);
        Map<String, float[]> first = run(engine, batch);
        for (int run = 1; run < 2 * PAST_THE_MEASURED_RUNS; run++) {
            Map<String, float[]> again = run(engine, batch);
            first.forEach(
                    (name, gradient) -> assertThat(again.get(name)).as(name).isEqualTo(gradient));
        }
    }

    @Test
    void theNumberOfThreadsChangesRoundingAtMost() {
        FeatureBatch batch = large(6);
        Map<String, float[]> alone = run(MadeEngines.host(LARGE, 1), batch);
        for (int threads : new int[] {2, 5}) {
            Map<String, float[]> shared = run(MadeEngines.host(LARGE, threads), batch);
            alone.forEach(
                    (name, gradient) -> assertThat(shared.get(name)).as(name).containsExactly(gradient, within(1e-4f)));
        }
        assertThatThrownBy(() -> new HostEngine(LARGE, 0, 0)).hasMessage("threads = 0 must be at least 1");
    }

    /** Both engines are past the measured runs for half of the time; the pool helps one of them at a time. */
    @Test
    void twoEnginesOnTwoThreadsGiveTheirOwnBits() throws InterruptedException {
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (long seed : new long[] {6, 7}) {
            NetworkEngine engine = MadeEngines.host(LARGE, 2);
            FeatureBatch batch = large(seed);
            Map<String, float[]> alone = run(engine, batch);
            threads.add(new Thread(() -> {
                for (int run = 0; run < 2 * PAST_THE_MEASURED_RUNS; run++) {
                    Map<String, float[]> again = run(engine, batch);
                    alone.forEach((name, gradient) ->
                            assertThat(again.get(name)).as(name).isEqualTo(gradient));
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

    /** A batch's other samples do not see it, the loss does (a run ends with 10), and the next batch is as if it had never been. */
    @Test
    void aNumberThatIsNoneStaysInItsSampleAndItsRun() {
        NetworkShape shape = MadeShape.small().window(4, 7, 7).dropout(0.2).shape();
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(3, 16, 5, 7, 6), shape, 3, 7);
        NetworkEngine engine = MadeEngines.host(shape, 2);
        double[][] clean = engine.forward(batch, 0);
        engine.backward(MadeEngines.cotangent(3, shape));
        Map<String, float[]> gradients = MadeEngines.gradients(engine);

        float[] frames = batch.values(Input.FRAMES);
        int place = 7 * shape.stepWidth() + 3; // the second sample's first step
        float kept = frames[place];
        frames[place] = Float.NaN;
        double[][] broken = engine.forward(batch, 0);
        engine.backward(MadeEngines.cotangent(3, shape));
        assertThat(broken[0]).containsExactly(clean[0], within(1e-6));
        assertThat(broken[1]).containsOnly(Double.NaN);
        assertThat(broken[2]).containsExactly(clean[2], within(1e-6));
        assertThat(MadeEngines.gradients(engine).get("frames.weight")).contains(Float.NaN);

        frames[place] = kept;
        assertClose(engine.forward(batch, 0), clean, 1e-6);
        engine.backward(MadeEngines.cotangent(3, shape));
        Map<String, float[]> after = MadeEngines.gradients(engine);
        gradients.forEach(
                (name, gradient) -> assertThat(after.get(name)).as(name).containsExactly(gradient, within(1e-6f)));
    }

    @Test
    void inferenceDropsNothingAndHasNoBackwardPass() {
        NetworkShape dropping = MadeShape.small().dropout(0.5).shape();
        NetworkShape keeping = MadeShape.small().shape();
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(3, 16, 5, 7, 6), keeping);
        NetworkEngine engine = MadeEngines.host(dropping, 1);
        double[][] expected = MadeEngines.host(keeping, 1).forward(batch, 0);
        assertClose(engine.infer(batch), expected, 1e-6);
        assertThatThrownBy(() -> engine.backward(MadeEngines.cotangent(3, dropping)))
                .hasMessage("no forward pass before the backward pass");
        assertThat(engine.forward(batch, 0)[0][0]).isNotCloseTo(expected[0][0], within(1e-4));
    }
}
