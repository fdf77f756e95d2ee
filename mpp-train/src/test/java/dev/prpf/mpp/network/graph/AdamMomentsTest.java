package dev.prpf.mpp.network.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.network.host.AdamW;
import java.io.IOException;
import java.io.InputStream;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.updater.graph.ComputationGraphUpdater;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.impl.LossMSE;

@Tag("slow")
class AdamMomentsTest {
    private static ComputationGraph graph(double decay, DataType type) {
        Device.current();
        DenseLayer.Builder hidden = new DenseLayer.Builder();
        OutputLayer.Builder output = new OutputLayer.Builder(new LossMSE());
        if (decay > 0) {
            hidden.weightDecay(decay, true);
            output.weightDecay(decay, true);
        }
        ComputationGraph graph = new ComputationGraph(new NeuralNetConfiguration.Builder()
                .dataType(type)
                .updater(new AdamMoments(0.01))
                .miniBatch(false)
                .graphBuilder()
                .addInputs("x")
                .addLayer(
                        "hidden",
                        hidden.nIn(3).nOut(4).activation(Activation.TANH).build(),
                        "x")
                .addLayer(
                        "y",
                        output.nIn(4).nOut(2).activation(Activation.IDENTITY).build(),
                        "hidden")
                .setOutputs("y")
                .build());
        graph.init();
        graph.params().assign(made(type, 26, i -> 0.5 * Math.sin(i + 1.0)));
        return graph;
    }

    private static INDArray made(DataType type, int length, java.util.function.IntToDoubleFunction value) {
        double[] values = IntStream.range(0, length).mapToDouble(value).toArray();
        return Nd4j.create(values, new long[] {1, length}, type);
    }

    private static List<Double> torch(double decay) throws IOException {
        try (InputStream in = AdamMomentsTest.class.getResourceAsStream("adamw.json")) {
            Map<?, ?> all = new ObjectMapper().readValue(in, Map.class);
            return ((List<?>) Objects.requireNonNull(all.get(String.valueOf(decay))))
                    .stream().map(Double.class::cast).toList();
        }
    }

    /** Recorded from torch.optim.AdamW by {@code benchmarks/perceiver/adamw_pytorch.py}. */
    @ParameterizedTest
    @CsvSource({
        "DOUBLE, false, 0.0, 1e-6",
        "DOUBLE, false, 0.1, 1e-6",
        "FLOAT, false, 0.1, 1e-3",
        "FLOAT, true, 0.0, 1e-3",
        "FLOAT, true, 0.1, 1e-3"
    })
    void twoHundredStepsOfFitAreThoseOfTorchsAdamW(DataType type, boolean fused, double decay, double tolerance)
            throws IOException {
        ComputationGraph graph = graph(decay, type);
        if (fused) {
            GraphAdamW.install(graph);
            assertThat(graph.getUpdater().getClass()).isNotEqualTo(ComputationGraphUpdater.class);
        }
        INDArray x = made(type, 15, i -> Math.cos(i)).reshape('c', 5, 3);
        INDArray y = made(type, 10, i -> Math.sin(2.0 * i)).reshape('c', 5, 2);
        for (int step = 0; step < 200; step++) {
            graph.fit(new INDArray[] {x}, new INDArray[] {y});
        }
        double[] expected =
                torch(decay).stream().mapToDouble(Double::doubleValue).toArray();
        assertThat(graph.params().dup().data().asDouble()).containsExactly(expected, within(tolerance));
    }

    @Test
    void threadsShareAStepWithoutChangingIt() {
        float[][] results = new float[2][];
        for (int i = 0; i < 2; i++) {
            float[] gradient = new float[200_500];
            for (int j = 0; j < gradient.length; j++) {
                gradient[j] = (float) Math.sin(j);
            }
            results[i] = new float[gradient.length];
            AdamW.Arrays arrays = new AdamW.Arrays(
                    FloatBuffer.wrap(results[i]),
                    FloatBuffer.wrap(gradient),
                    FloatBuffer.allocate(gradient.length),
                    FloatBuffer.allocate(gradient.length));
            new AdamW(List.of(new AdamW.Run(gradient.length, 0.1)), 1 + 3 * i).step(arrays, 0.1, 3);
        }
        assertThat(results[1]).isEqualTo(results[0]);
    }
}
