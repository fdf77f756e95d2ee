package dev.prpf.mpp.network.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.Differences;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.definition.NetworkSummary.Parameter;
import dev.prpf.mpp.network.host.HostEngine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.updater.graph.ComputationGraphUpdater;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.NoOp;

/** Training through {@link ComputationGraph#fit}, on the processor's passes and on SameDiff's. */
@Tag("slow")
class PerceiverGraphTest {
    private static final JointLoss LOSS = new JointLoss(2, 0.5, 0.5);
    private static final NetworkShape SHAPE = MadeShape.small().dropout(0.3).shape();

    private static ComputationGraph graph(NetworkShape shape, double decay, DataType type) {
        return PerceiverGraph.of(shape, new PerceiverGraph.Objective(LOSS, new AdamMoments(3e-3), decay), 3, type);
    }

    private static double[] losses(ComputationGraph graph, List<FeatureBatch> batches, int steps) {
        DataType type = graph.params().dataType();
        PerceiverInputs inputs = new PerceiverInputs(PerceiverGraph.shape(graph), type);
        double[] losses = new double[steps];
        for (int i = 0; i < steps; i++) {
            graph.fit(inputs.labelled(batches.get(i % batches.size())));
            losses[i] = graph.score();
        }
        return losses;
    }

    private static double[] losses(NetworkShape shape, int steps) {
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(16, 16, 5, 10, 4), shape);
        return losses(graph(shape, 0, DataType.FLOAT), List.of(batch), steps);
    }

    private static double[][] logits(ComputationGraph graph, FeatureBatch batch) {
        return new HostEngine(PerceiverGraph.parameters(graph)).logits(batch);
    }

    @Test
    void stepsLowerTheLossReproduciblyWithDropout() {
        double[] first = losses(SHAPE, 40);
        assertThat(losses(SHAPE, 40)).containsExactly(first);
        assertThat(first[39]).isLessThan(0.5 * first[0]);
        assertThat(losses(MadeShape.small().shape(), 2)[1])
                .as("without dropout")
                .isNotEqualTo(first[1]);
    }

    /** Dropout's masks, lengths that change from batch to batch and a smaller last batch: all of training but the precision. */
    @Test
    void trainingInFloatsFollowsSameDiffInDoubles() {
        NetworkShape shape = MadeShape.small()
                .inputs(16, 2, true)
                .window(4, NetworkShape.UNLIMITED, NetworkShape.UNLIMITED)
                .dropout(0.2)
                .shape();
        List<FeatureBatch> batches = new ArrayList<>();
        for (int longest : new int[] {40, 3, 20, 60}) { // one shape more than plans are kept of
            batches.add(
                    FeatureBatch.of(MadeFeatures.withSentences(MadeFeatures.of(8, 16, 5, longest, longest), 2), shape));
        }
        batches.add(FeatureBatch.of(MadeFeatures.withSentences(MadeFeatures.of(3, 16, 5, 3, 9), 2), shape));
        double[] floats = losses(graph(shape, 0.01, DataType.FLOAT), batches, 10);
        double[] doubles = losses(graph(shape, 0.01, DataType.DOUBLE), batches, 10);
        assertThat(floats).containsExactly(doubles, within(1e-4));
    }

    @Test
    void theScoreIsTheJointLossOfTheLogits() {
        NetworkShape shape = MadeShape.small().shape();
        List<SampleFeatures> samples = MadeFeatures.of(9, 16, 5, 10, 4);
        ComputationGraph graph = graph(shape, 0, DataType.FLOAT);
        FeatureBatch batch = FeatureBatch.of(samples, shape);
        double loss = LOSS.of(logits(graph, batch), samples);
        graph.fit(new PerceiverInputs(shape, DataType.FLOAT).labelled(batch));
        assertThat(graph.score()).isCloseTo(loss, within(1e-6));
        List<SampleFeatures> silent = samples.stream()
                .filter(sample -> Boolean.FALSE.equals(sample.intervention()))
                .toList();
        FeatureBatch none = FeatureBatch.of(silent, shape);
        double focal = LOSS.of(logits(graph, none), silent);
        graph.fit(new PerceiverInputs(shape, DataType.FLOAT).labelled(none));
        assertThat(graph.score()).as("no sample triggers").isCloseTo(focal, within(1e-6));
    }

    @Test
    void outputsAreTheSigmoidsOfTheHostsLogits() {
        NetworkShape shape = MadeShape.small().shape();
        ComputationGraph graph = graph(shape, 0, DataType.FLOAT);
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(6, 16, 5, 10, 4), shape);
        losses(graph, List.of(batch), 5);
        double[][] logits = logits(graph, batch);
        INDArray[] outputs = graph.output(PerceiverInputs.features(batch));
        for (int i = 0; i < logits.length; i++) {
            for (int s = 0; s < logits[i].length; s++) {
                double output = s == 0 ? outputs[0].getDouble(i, 0) : outputs[1].getDouble(i, s - 1);
                assertThat(output).isCloseTo(JointLoss.sigmoid(logits[i][s]), within(1e-6));
            }
        }
    }

    /** The coefficients have the summary's order: gradients of unused parts of the network are at their parameters. */
    @Test
    void theFlatOrderIsTheSummarys() {
        ComputationGraph graph = graph(SHAPE, 0, DataType.FLOAT);
        long from = 0;
        for (Parameter parameter : NetworkSummary.of(SHAPE, 1).parameters()) {
            String name = parameter.name();
            boolean head = name.contains(".logits.");
            String key = name.endsWith("weight") ? "W" : "b";
            INDArray own = head
                    ? graph.getLayer(name.substring(0, name.indexOf('.'))).getParam(key)
                    : graph.getVertex(PerceiverGraph.BODY).paramTable(false).get(name);
            long last = Objects.requireNonNull(own).length() - 1;
            graph.params().putScalar(from, 77);
            graph.params().putScalar(from + last, 78);
            INDArray row = own.reshape(head ? 'f' : 'c', 1, own.length());
            assertThat(row.getFloat(0)).as(name).isEqualTo(last == 0 ? 78 : 77);
            assertThat(row.getFloat(last)).as(name).isEqualTo(78);
            from += parameter.length();
        }
        assertThat(from).isEqualTo(graph.params().length());
    }

    @Test
    void anUpdaterThatChangesNothingLeavesTheNetworkUnchanged() {
        ComputationGraph graph = PerceiverGraph.of(SHAPE, new PerceiverGraph.Objective(LOSS, new Nothing(), 0), 3);
        INDArray before = graph.params().dup();
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(16, 16, 5, 10, 4), SHAPE);
        losses(graph, List.of(batch), 5);
        assertThat(graph.getIterationCount()).isEqualTo(5);
        assertThat(graph.params()).isEqualTo(before);
    }

    /** Returns a step of training at batch 8, after three of them. */
    private static Runnable warmStep(ComputationGraph graph, NetworkShape shape) {
        PerceiverInputs inputs = new PerceiverInputs(shape, DataType.FLOAT);
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(8, 64, 5, 10, 4), shape);
        Runnable step = () -> graph.fit(inputs.labelled(batch));
        for (int i = 0; i < 3; i++) {
            step.run();
        }
        return step;
    }

    /** A network of 800 KB of parameters, at batch 8: a copy of them, or of a batch, would show. */
    @Test
    void aStepCopiesNoParametersAndAllocatesLittleOffTheHeap() throws IllegalAccessException {
        NetworkShape shape = MadeShape.small()
                .inputs(64, 0, false)
                .transformer(64, 4, 2, 128)
                .shape();
        ComputationGraph graph = graph(shape, 0.01, DataType.FLOAT);
        assertThat(graph.params().length() * Float.BYTES).isGreaterThan(800_000);
        Runnable step = warmStep(graph, shape);
        assertThat(OffHeapBytes.during(step)).isBetween(1L, 64L << 10);
        assertThat(OffHeapBytes.during(() -> graph.params().dup()))
                .as("the measurement sees a copy")
                .isGreaterThanOrEqualTo(graph.params().length() * Float.BYTES);
    }

    /** Bytes that this thread allocates on the heap. */
    private static long heapBytes(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    /** A network of 6.8 MB of parameters: a step allocates 2.5 MB on the heap, as does one of a network of 0.2 MB. */
    @Test
    void aStepCopiesNoParametersToTheHeap() {
        NetworkShape shape = MadeShape.small()
                .inputs(64, 0, false)
                .transformer(192, 4, 2, 384)
                .shape();
        ComputationGraph graph = graph(shape, 0.01, DataType.FLOAT);
        Runnable step = warmStep(graph, shape);
        long parameters = graph.params().length() * Float.BYTES;
        assertThat(heapBytes(step)).isBetween(1L, parameters);
        assertThat(heapBytes(() -> graph.params().toFloatVector()))
                .as("the measurement sees a copy")
                .isGreaterThanOrEqualTo(parameters);
    }

    @Test
    void theListenersAreCalledOnceAStep() {
        ComputationGraph graph = graph(SHAPE, 0.01, DataType.FLOAT);
        List<Integer> iterations = new ArrayList<>();
        graph.setListeners(new BaseTrainingListener() {
            @Override
            public void iterationDone(Model model, int iteration, int epoch) {
                iterations.add(iteration);
            }
        });
        losses(graph, List.of(FeatureBatch.of(MadeFeatures.of(16, 16, 5, 10, 4), SHAPE)), 4);
        assertThat(iterations).containsExactly(0, 1, 2, 3);
    }

    @Test
    void decayShrinksEveryWeightOnceAndNothingElse() {
        ComputationGraph graph = PerceiverGraph.of(SHAPE, new PerceiverGraph.Objective(LOSS, new Nothing(), 0.5), 3);
        float[] before = PerceiverGraph.parameters(graph).values();
        losses(graph, List.of(FeatureBatch.of(MadeFeatures.of(16, 16, 5, 10, 4), SHAPE)), 1);
        float[] after = PerceiverGraph.parameters(graph).values();
        int at = 0;
        for (Parameter parameter : NetworkSummary.of(SHAPE, 1).parameters()) {
            float kept = parameter.kind() == Parameter.Kind.WEIGHT ? 1 - 0.1f * 0.5f : 1;
            for (int end = at + parameter.length(); at < end; at++) {
                assertThat(after[at]).as(parameter.name()).isCloseTo(kept * before[at], within(1e-7f));
            }
        }
    }

    /** The file restored by DL4J only, as a program without this project's restore does it. */
    @Test
    void aFusedStepIsTheStepOfDl4jsUpdaterAndDecay(@TempDir Path directory) throws IOException {
        ComputationGraph fused = graph(SHAPE, 0.1, DataType.FLOAT);
        assertThat(fused.getUpdater().getClass()).isNotEqualTo(ComputationGraphUpdater.class);
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(16, 16, 5, 10, 4), SHAPE);
        losses(fused, List.of(batch), 3);
        PerceiverGraph.write(fused, directory.resolve("mpp.zip"), true);
        ComputationGraph stock = ModelSerializer.restoreComputationGraph(
                directory.resolve("mpp.zip").toFile());
        losses(stock, List.of(batch), 1);
        losses(fused, List.of(batch), 1);
        assertThat(Differences.largest(
                        stock.params().toFloatVector(), fused.params().toFloatVector()))
                .isLessThan(1e-6);
        assertThat(Differences.largest(
                        stock.getUpdater().getStateViewArray().toFloatVector(),
                        fused.getUpdater().getStateViewArray().toFloatVector()))
                .isLessThan(1e-6);
    }

    @Test
    void twoGraphsOnTwoThreadsAreIndependent() throws InterruptedException {
        double[] alone = losses(SHAPE, 12);
        List<double[]> together = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = List.of(
                new Thread(() -> together.add(losses(SHAPE, 12))), new Thread(() -> together.add(losses(SHAPE, 12))));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(together).hasSize(2).allSatisfy(curve -> assertThat(curve).containsExactly(alone));
    }

    @Test
    void evaluationBetweenStepsChangesNothing() {
        FeatureBatch batch = FeatureBatch.of(MadeFeatures.of(16, 16, 5, 10, 4), SHAPE);
        ComputationGraph evaluated = graph(SHAPE, 0, DataType.FLOAT);
        double[] losses = new double[4];
        for (int i = 0; i < losses.length; i++) {
            losses[i] = losses(evaluated, List.of(batch), 1)[0];
            evaluated.output(PerceiverInputs.features(FeatureBatch.of(MadeFeatures.of(3, 16, 5, 10, 5), SHAPE)));
        }
        assertThat(losses).containsExactly(Arrays.copyOf(losses(SHAPE, 4), 4));
    }

    /** An updater that makes updates of 0, at a learning rate of 0.1. */
    private static final class Nothing extends NoOp {
        private static final long serialVersionUID = 1L;

        @Override
        public org.nd4j.linalg.learning.GradientUpdater<NoOp> instantiate(INDArray view, boolean initialize) {
            return new org.nd4j.linalg.learning.NoOpUpdater(this) {
                @Override
                public void applyUpdater(INDArray gradient, int iteration, int epoch) {
                    gradient.assign(0);
                }
            };
        }

        @Override
        public boolean hasLearningRate() {
            return true;
        }

        @Override
        public double getLearningRate(int iteration, int epoch) {
            return 0.1;
        }
    }
}
