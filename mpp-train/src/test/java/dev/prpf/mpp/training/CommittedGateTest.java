package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.PerceiverGraph;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.perceive.MppModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loads a trained gate that is under version control. Its zip names classes of this project, so renaming one of them fails here. With {@code
 * -Dprpf.write=true} the test trains the gate again and writes it; do that only when old gates may become unreadable.
 */
class CommittedGateTest {
    private static final Path GATE = Path.of("src", "test", "resources", "dev", "prpf", "mpp", "training", "gate");
    private static final Path SCORES = GATE.resolveSibling("gate-scores.json");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final NetworkShape SHAPE =
            MadeShape.small().inputs(8, 0, false).transformer(8, 2, 1, 16).shape();
    private static final MppTraining.Settings SETTINGS = new MppTraining.Settings(
            42, SHAPE, new JointLoss(2, 0.5, 0.5), new MppConfig.Optimizer(0.02, 0.01, 16), 10, 10);
    private static final MppDescription DESCRIPTION =
            new MppDescription(SHAPE, SETTINGS.loss(), List.of("a", "b", "c", "d", "e"), "text", "frame");
    private static final List<SampleFeatures> TRAIN = MadeFeatures.of(96, 8, 5, 10, 1);
    private static final List<SampleFeatures> TEST = MadeFeatures.of(12, 8, 5, 10, 2);

    /** The progress that the gate was saved with: ten epochs of six steps. */
    private static final MppTraining.State SAVED = new MppTraining.State(60, 10, 0, 0, null, 0, 0, false);

    @BeforeAll
    static void write(@TempDir Path folder) throws IOException {
        if (!Boolean.getBoolean("prpf.write")) {
            return;
        }
        MppTraining training = new MppTraining(SETTINGS, TRAIN, List.of());
        training.fit();
        Path checkpoint = new CheckpointStore(folder, 1)
                .save(SAVED.step(), to -> MppModel.write(to, DESCRIPTION, training.graph(), true));
        Files.createDirectories(GATE);
        try (Stream<Path> files = Files.list(checkpoint)) {
            files.forEach(file -> copy(file, GATE.resolve(file.getFileName())));
        }
        Files.writeString(SCORES, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(scores(perceptions())));
    }

    private static void copy(Path from, Path to) {
        try {
            Files.write(to, Files.readAllBytes(from));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Perception> perceptions() {
        try (MppModel gate = MppModel.read(GATE, new ProbabilityCalibration.None())) {
            return gate.perceive(TEST);
        }
    }

    private static List<Map<String, Double>> scores(List<Perception> perceptions) {
        return perceptions.stream()
                .map(perception -> {
                    Map<String, Double> scores = new LinkedHashMap<>(perception.scenarios());
                    scores.put("p_trigger", perception.pTrigger());
                    return scores;
                })
                .toList();
    }

    @Test
    void committedGate_hasTheCommittedScores() throws IOException {
        List<Map<String, Double>> expected = JSON.readValue(SCORES.toFile(), new TypeReference<>() {});
        List<Map<String, Double>> scores = scores(perceptions());
        assertThat(scores).hasSameSizeAs(expected).hasSize(TEST.size());
        for (int i = 0; i < expected.size(); i++) {
            Map<String, Double> own = scores.get(i);
            assertThat(own.keySet()).isEqualTo(expected.get(i).keySet());
            expected.get(i)
                    .forEach((name, score) -> assertThat(own.get(name)).as(name).isCloseTo(score, within(1e-6)));
        }
    }

    @Test
    void committedGate_separatesTheClasses() {
        List<Perception> perceptions = perceptions();
        long right = 0;
        for (int i = 0; i < TEST.size(); i++) {
            boolean acts = Boolean.TRUE.equals(TEST.get(i).intervention());
            right += perceptions.get(i).triggers(0.5) == acts ? 1 : 0;
        }
        assertThat(right).as("correct of %d", TEST.size()).isGreaterThanOrEqualTo(9);
    }

    /** DL4J creates the vertex, the losses and the optimizer from the class names in the zip. */
    @Test
    void committedGate_resumesItsTraining() {
        ComputationGraph graph = MppModel.restore(GATE, DESCRIPTION);
        float[] before = PerceiverGraph.parameters(graph).values();
        MppTraining.Settings longer = new MppTraining.Settings(
                SETTINGS.seed(), SHAPE, SETTINGS.loss(), SETTINGS.optimizer(), 11, SETTINGS.patience());
        MppTraining training = new MppTraining(longer, TRAIN, List.of());
        training.restore(SAVED, graph);
        MppTraining.State end = training.fit();
        assertThat(end.step()).isEqualTo(SAVED.step() + 6);
        assertThat(training.lastStep().loss()).isBetween(0.0, 0.2);
        assertThat(PerceiverGraph.parameters(training.graph()).values()).isNotEqualTo(before);
    }
}
