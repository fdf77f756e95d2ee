package dev.prpf.data.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.prpf.base.files.ProtoMessage;
import dev.prpf.data.onnx.OnnxGraph.Attribute;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OnnxGraphTest {
    private static ByteBuffer floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return bytes;
    }

    @Test
    void onnxRuntimeComputesWhatTheGraphSays() throws OrtException {
        OnnxGraph graph = new OnnxGraph("test");
        String x = graph.input("x", -1, 2);
        String weight = graph.weight("w", new long[] {3, 2}, floats(1, 2, 3, 4, 5, 6));
        String product = graph.node("Gemm", List.of(x, weight), Attribute.of("transB", 1), Attribute.of("alpha", 2f));
        String shifted = graph.node("Add", List.of(product, graph.scalar(0.5f)));
        String stacked = graph.node("Reshape", List.of(shifted, graph.longs(3, -1)));
        graph.named("y", "Transpose", List.of(stacked), Attribute.of("perm", 1, 0));
        graph.output("y", -1, 3);
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession session = environment.createSession(graph.toModel());
                OnnxTensor input = OnnxTensor.createTensor(
                        environment, FloatBuffer.wrap(new float[] {1, 0, 0, 1}), new long[] {2, 2});
                OrtSession.Result result = session.run(Map.of("x", input))) {
            // x W^T * 2 + 0.5 = (2.5, 6.5, 10.5; 4.5, 8.5, 12.5), read as three rows of two, transposed
            assertThat((float[][]) result.get(0).getValue())
                    .isDeepEqualTo(new float[][] {{2.5f, 10.5f, 8.5f}, {6.5f, 4.5f, 12.5f}});
        }
    }

    @Test
    void integersTakeSevenBitsAByte() {
        ByteBuffer bytes = new ProtoMessage()
                .integer(1, 300)
                .text(2, "é")
                .message(16, new ProtoMessage().integer(1, -1))
                .outsideHeap();
        byte[] seen = new byte[bytes.remaining()];
        bytes.get(seen);
        int[] expected = {
            0x08, 0xAC, 0x02, 0x12, 0x02, 0xC3, 0xA9, 0x82, 0x01, 0x0B, 0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xFF, 0xFF, 0x01
        };
        byte[] wanted = new byte[expected.length];
        for (int i = 0; i < expected.length; i++) {
            wanted[i] = (byte) expected[i];
        }
        assertThat(seen).containsExactly(wanted);
    }
}
