package dev.prpf.data.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OnnxRewiringTest {
    /** y = 2x x + x, of shape (B, 2, 2); "twice" is 2x. */
    private static ByteBuffer model() {
        OnnxGraph graph = new OnnxGraph("test");
        String x = graph.input("x", -1, 2, 2);
        String same = graph.named("same", "Identity", List.of(x));
        graph.named("twice", "Mul", List.of(same, graph.scalar(2)));
        graph.named("product", "MatMul", List.of("twice", same));
        graph.named("y", "Add", List.of("product", same));
        graph.output("y", -1, -1, 2);
        return graph.toModel();
    }

    private static float[][][] run(ByteBuffer model, float... x) throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        byte[] bytes = new byte[model.remaining()];
        model.duplicate().get(bytes);
        try (OrtSession session = environment.createSession(bytes);
                OnnxTensor input =
                        OnnxTensor.createTensor(environment, FloatBuffer.wrap(x), new long[] {x.length / 4, 2, 2});
                OrtSession.Result result = session.run(Map.of("x", input))) {
            return (float[][][]) result.get(0).getValue();
        }
    }

    @Test
    void theFirstPositionIsWhatTheWholeModelGivesThere() throws OrtException {
        float[] x = {1, 2, 3, 4, 5, 6, 7, 8};
        ByteBuffer whole = new OnnxRewiring(Map.of()).of(model());
        ByteBuffer first = new OnnxRewiring(Map.of("product", "twice", "y", "same")).of(model());
        float[][][] all = run(whole, x);
        assertThat(all).isDeepEqualTo(new float[][][] {{{15, 22}, {33, 48}}, {{139, 162}, {189, 220}}});
        assertThat(run(first, x)).isDeepEqualTo(new float[][][] {{all[0][0]}, {all[1][0]}});
    }

    @Test
    void whatTheModelLacksIsNamed() {
        ByteBuffer model = model();
        assertThatThrownBy(() -> new OnnxRewiring(Map.of("z", "same")).of(model))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no operator of the model has output [z]");
        assertThatThrownBy(() -> new OnnxRewiring(Map.of("y", "twice")).of(model))
                .hasMessage("the operator with output y has no input twice");
    }

    @Test
    void bytesThatAreNoModelAreRefused() {
        ByteBuffer model = model();
        OnnxRewiring rewiring = new OnnxRewiring(Map.of());
        assertThatThrownBy(() -> rewiring.of(model.limit(model.limit() - 3)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not a Protocol Buffers message");
        assertThatThrownBy(() -> rewiring.of(ByteBuffer.wrap(new byte[] {7})))
                .hasMessage("not a Protocol Buffers message: wire type 7");
        assertThatThrownBy(() -> rewiring.of(ByteBuffer.wrap(new byte[] {8, -1})))
                .hasMessage("not a Protocol Buffers message: a number does not end");
    }
}
