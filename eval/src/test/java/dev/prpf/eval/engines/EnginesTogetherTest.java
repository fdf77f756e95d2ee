package dev.prpf.eval.engines;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ONNX Runtime, libtorch and ND4J live in one JVM, whichever comes first. */
@Tag("slow")
class EnginesTogetherTest {
    private static final String PRODUCT = "[7.0,10.0,15.0,22.0]";

    @ParameterizedTest
    @ValueSource(strings = {"onnx torch nd4j", "nd4j torch onnx"})
    void loadInEitherOrder(String order) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-Dai.djl.offline=true",
                "-Dai.djl.pytorch.num_threads=1",
                "-cp",
                System.getProperty("java.class.path"),
                EngineProbe.class.getName()));
        command.addAll(List.of(order.split(" ")));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(output).contains("torch=" + PRODUCT, "nd4j=" + PRODUCT, "onnx=[x]");
    }
}
