package dev.prpf.mpp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.AdamMoments;
import dev.prpf.mpp.network.graph.PerceiverGraph;
import dev.prpf.mpp.network.graph.PerceiverInputs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;

/** Compiles and runs the program of {@code examples/} like a user. */
@Tag("slow")
class ExampleTest {
    private static final Path PROGRAM = Path.of("..", "examples", "RestorePerceiver.java");

    @Test
    void theExampleRestoresAModelFileAndPredicts(@TempDir Path folder) throws IOException, InterruptedException {
        NetworkShape shape = MadeShape.small().shape();
        JointLoss loss = new JointLoss(2, 0.5, 0.5);
        ComputationGraph graph =
                PerceiverGraph.of(shape, new PerceiverGraph.Objective(loss, new AdamMoments(1e-3), 0.01), 3);
        graph.fit(new PerceiverInputs(shape, DataType.FLOAT)
                .labelled(FeatureBatch.of(MadeFeatures.of(16, 16, 5, 10, 4), shape)));
        Path file = folder.resolve("mpp.zip");
        PerceiverGraph.write(graph, file, true);
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PROGRAM.toString(),
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).as(() -> read(output)).isZero();
        assertThat(read(output))
                .containsPattern("p_trigger *[\\[ ]*0\\.\\d+.*, p_scenario *\\[\\[ *0\\.\\d+(, *0\\.\\d+){4}\\]\\]");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
