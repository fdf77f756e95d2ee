package dev.prpf.mpp.network.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.mpp.Differences;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations.Input;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads, bits and NaN of the hand-written passes; {@code BodyEquivalenceTest} tests their values. */
@Tag("slow")
class HostEngineTest {
    private static final int PAST_THE_MEASURED_RUNS = 12;
    private static final NetworkShape LARGE = MadeShape.small()
            .inputs(64, 0, false)
            .window(4, 7, 7)
            .transformer(128, 4, 2, 256)
            .shape();

    private static void assertClose(double[][] logits, double[][] expected, double tolerance) {
        assertThat(logits.length).isEqualTo(expected.length);
        for (int row = 0; row < logits.length; row++) {
            assertThat(logits[row]).as("row %d", row).containsExactly(expected[row], within(tolerance));
        }
    }

    private static float[] values(Map<String, float[]> gradients, String name) {
        return Objects.requireNonNull(gradients.get(name), name);
    }

    private static FeatureBatch large(long seed) {
        return FeatureBatch.of(MadeFeatures.of(16, 64, 5, 7, seed), LARGE, 16, 7);
    }

    private static Map<String, float[]> run(MadeBody engine, FeatureBatch batch) {
        engine.forward(batch, 0);
        engine.backward(batch.rows());
        return engine.gradients();
    }

    /** The first runs are measured on one thread, later ones share the work: no bit depends on it. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void everyRunGivesTheSameBits(int threads) {
        MadeBody engine = new MadeBody(LARGE, threads);
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
        Map<String, float[]> alone = run(new MadeBody(LARGE, 1), batch);
        Map<String, float[]> shared = run(new MadeBody(LARGE, 5), batch);
        alone.forEach((name, gradient) -> assertThat(Differences.largest(values(shared, name), gradient))
                .as(name)
                .isLessThan(1e-4));
        assertThatThrownBy(() -> new MadeBody(LARGE, 0)).hasMessage("threads = 0 must be at least 1");
    }

    /** The pool helps one of the two engines at a time. */
    @Test
    void twoEnginesOnTwoThreadsGiveTheirOwnBits() throws InterruptedException {
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (long seed : new long[] {6, 7}) {
            MadeBody engine = new MadeBody(LARGE, 2);
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

    /** A NaN does not reach the batch's other samples or the next batch. It does reach the loss, so a run ends with 10. */
    @Test
    void nanStaysInItsSampleAndRun() {
        NetworkShape shape = MadeShape.small().window(4, 7, 7).dropout(0.2).shape();
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(3, 16, 5, 7, 6), shape, 3, 7);
        MadeBody engine = new MadeBody(shape, 2);
        double[][] clean = engine.forward(batch, 0);
        engine.backward(3);
        Map<String, float[]> gradients = engine.gradients();

        float[] frames = batch.values(Input.FRAMES);
        int place = 7 * shape.stepWidth() + 3; // the second sample's first step
        float kept = frames[place];
        frames[place] = Float.NaN;
        double[][] broken = engine.forward(batch, 0);
        engine.backward(3);
        assertThat(broken[0]).containsExactly(clean[0], within(1e-6));
        assertThat(broken[1]).containsOnly(Double.NaN);
        assertThat(broken[2]).containsExactly(clean[2], within(1e-6));
        assertThat(engine.gradients().get("frames.weight")).contains(Float.NaN);

        frames[place] = kept;
        assertClose(engine.forward(batch, 0), clean, 1e-6);
        engine.backward(3);
        Map<String, float[]> after = engine.gradients();
        gradients.forEach((name, gradient) -> assertThat(Differences.largest(values(after, name), gradient))
                .as(name)
                .isLessThan(1e-6));
    }

    @Test
    void inferenceHasNeitherDropoutNorBackwardPass() {
        NetworkShape dropping = MadeShape.small().dropout(0.5).shape();
        NetworkShape keeping = MadeShape.small().shape();
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(3, 16, 5, 7, 6), keeping);
        MadeBody engine = new MadeBody(dropping, 1);
        double[][] expected = new MadeBody(keeping, 1).forward(batch, 0);
        assertClose(engine.infer(batch), expected, 1e-6);
        assertThatThrownBy(() -> engine.backward(3)).hasMessage("no forward pass before the backward pass");
        assertThat(engine.forward(batch, 0)[0][0]).isNotCloseTo(expected[0][0], within(1e-4));
    }
}
