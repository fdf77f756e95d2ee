package dev.prpf.par.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.ParSftConfig;
import dev.prpf.par.training.SftMemory;
import dev.prpf.par.training.grpo.ParGrpoConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlannedTrainingTest {
    private static final Path CONFIGS =
            Path.of(System.getProperty("prpf.root", "..")).resolve("configs");
    private static final long PARAMETERS = 2 * 64 * 500 + 2 * (4 * 64 * 64 + 3 * 64 * 128 + 2 * 64) + 64;

    @TempDir
    Path directory;

    @BeforeEach
    void aModelOfWhichOnlyTheShapeIsHere() throws IOException {
        Files.writeString(
                directory.resolve("config.json"),
                """
                {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
                 "num_hidden_layers": 2, "vocab_size": 500, "max_position_embeddings": 5000, "eos_token_id": 2}
                """);
    }

    private PlannedTraining training(StagePlan.Source set) {
        StagePlan.Model start = new StagePlan().model(directory);
        return new PlannedTraining(start, directory, set, null, Path.of("run/model"));
    }

    private static ParSftConfig sft(String... overrides) {
        List<String> all = Stream.concat(Stream.of("examples.max-length=400"), Stream.of(overrides))
                .toList();
        return StrictYaml.read(CONFIGS.resolve("par-sft.yaml"), ParSftConfig.class, all);
    }

    /** The plan calls the estimate of training with the longest examples, so that no set of shorter ones needs more. */
    @Test
    void thePlanBoundsTheEstimateOfEverySet() {
        Random random = new Random(1);
        List<SftExample> examples = Stream.generate(
                        () -> new SftExample(new long[1 + random.nextInt(200)], new long[1 + random.nextInt(200)]))
                .limit(100)
                .toList();
        for (String lora : List.of("null", "{rank: 8, alpha: 16, targets: null}")) {
            ParSftConfig config = sft("training.lora=" + lora);
            Long planned =
                    training(new StagePlan.Source(null, List.of())).sft(config).bytes();
            long real = SftMemory.of(
                            config.training(),
                            HuggingFaceDirectory.open(directory).config(),
                            examples)
                    .added();
            assertThat(planned).as(lora).isGreaterThanOrEqualTo(real).isLessThan(2 * real);
        }
    }

    @Test
    void timeCountsEveryTokenOfEveryRecord() {
        ParSftConfig config = sft("training.epochs=3", "training.gradient-checkpointing=true");
        StageNeed need = training(new StagePlan.Source(10L, List.of())).sft(config);
        assertThat(need.work()).isEqualTo(new StageNeed.Work(10.0 * 3 * 400 * 8 * PARAMETERS, 0));
        assertThat(training(new StagePlan.Source(null, List.of())).sft(config).work())
                .isNull();
        ParGrpoConfig grpo = StrictYaml.read(
                CONFIGS.resolve("par-grpo.yaml"), ParGrpoConfig.class, List.of("prompts.max-length=300"));
        assertThat(training(new StagePlan.Source(10L, List.of())).grpo(grpo).work())
                .satisfies(work -> assertThat(work.read()).isPositive());
    }

    @Test
    void aModelOfAnUnknownFamilyIsRefused() throws IOException {
        Files.writeString(directory.resolve("config.json"), "{\"model_type\": \"mistral\"}");
        assertThatThrownBy(() -> training(new StagePlan.Source(null, List.of())).sft(sft()))
                .hasMessageContainingAll(
                        "config.json: model_type = \"mistral\": only [llama, qwen2, ",
                        "qwen2_5_vl] are understood; take a model of these families");
    }

    @Test
    void aModelThatIsNotHereLeavesItsNeedOpen() {
        StagePlan.Model absent = new StagePlan().model(Path.of("absent"));
        StageNeed need = new PlannedTraining(
                        absent, Path.of("absent"), new StagePlan.Source(1L, List.of()), null, directory)
                .sft(sft());
        assertThat(need.bytes()).isNull();
        assertThat(need.about()).isEqualTo("its memory is unknown: absent/config.json does not exist yet");
    }
}
