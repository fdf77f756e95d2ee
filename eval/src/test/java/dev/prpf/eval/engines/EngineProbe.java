package dev.prpf.eval.engines;

import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import dev.prpf.data.encode.text.TextEncoder;
import java.util.Arrays;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A process of its own that loads the engines in the order of its arguments and lets each multiply. */
public final class EngineProbe {
    private EngineProbe() {}

    public static void main(String[] engines) throws Exception {
        StringBuilder report = new StringBuilder();
        for (int round = 0; round < 2; round++) {
            for (String engine : engines) {
                report.append(engine).append('=').append(run(engine)).append(' ');
            }
        }
        System.out.println("probe " + report.toString().trim());
        System.exit(0);
    }

    private static String run(String engine) throws Exception {
        return switch (engine) {
            case "onnx" -> onnx();
            case "torch" -> torch();
            case "nd4j" -> nd4j();
            default -> throw new IllegalArgumentException(engine);
        };
    }

    private static String onnx() throws Exception {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(1);
            byte[] model = TextEncoder.class
                    .getClassLoader()
                    .getResourceAsStream("models/ch_PP-OCRv4_det_infer.onnx")
                    .readAllBytes();
            try (OrtSession session = environment.createSession(model, options)) {
                return session.getInputNames().toString();
            }
        }
    }

    private static String torch() {
        try (NDManager manager = Engine.getEngine("PyTorch").newBaseManager()) {
            NDArray a = manager.create(new float[] {1, 2, 3, 4}, new Shape(2, 2));
            return Arrays.toString(a.matMul(a).toFloatArray()).replace(" ", "");
        }
    }

    private static String nd4j() {
        INDArray a = Nd4j.create(new float[] {1, 2, 3, 4}, new long[] {2, 2}, 'c');
        return Arrays.toString(a.mmul(a).dup('c').data().asFloat()).replace(" ", "");
    }
}
