package dev.prpf.mpp.perceive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.run.CheckpointStore;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.AdamMoments;
import dev.prpf.mpp.network.graph.PerceiverGraph;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model file is read, and its perceiver predicts, with neither DL4J nor ND4J on the class path. */
@Tag("slow")
class PredictionWithoutNd4jTest {
    private static final NetworkShape SHAPE = MadeShape.small().shape();
    private static final JointLoss LOSS = new JointLoss(2, 0.5, 0.5);

    /** Runs in a JVM of its own. */
    static final class Predicting {
        public static void main(String[] arguments) {
            System.out.println(perceptions(Path.of(arguments[0])));
            System.exit(0);
        }

        static List<Perception> perceptions(Path checkpoint) {
            try (MppModel model = MppModel.read(checkpoint, new ProbabilityCalibration.None())) {
                return model.perceive(MadeFeatures.of(3, 16, 5, 10, 4));
            }
        }
    }

    @Test
    void modelFilePredictsWithoutTrainingLibraries(@TempDir Path folder) throws IOException, InterruptedException {
        ComputationGraph graph =
                PerceiverGraph.of(SHAPE, new PerceiverGraph.Objective(LOSS, new AdamMoments(1e-3), 0), 3);
        MppDescription description = new MppDescription(SHAPE, LOSS, List.of("a", "b", "c", "d", "e"), "text", "frame");
        Path checkpoint = new CheckpointStore(folder, 1).save(1, to -> MppModel.write(to, description, graph, false));
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !new File(entry).getName().matches("(nd4j|deeplearning4j)-.*"))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath,
                        Predicting.class.getName(),
                        checkpoint.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(output).endsWith(Predicting.perceptions(checkpoint) + System.lineSeparator());
    }
}
