package dev.prpf.par.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.ParGrpoConfig;
import dev.prpf.par.training.ParSftConfig;
import dev.prpf.par.training.SftMemory;
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
        return StrictYaml.read(CONFIGS.resolve("reasoner-sft.yaml"), ParSftConfig.class, all);
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
        assertThat(need.work()).isEqualTo(new StageNeed.Work(10.0 * 3 * 400 * 8 * PARAMETERS, 0, false));
        assertThat(training(new StagePlan.Source(null, List.of())).sft(config).work())
                .isNull();
        ParGrpoConfig grpo = StrictYaml.read(
                CONFIGS.resolve("reasoner-grpo.yaml"), ParGrpoConfig.class, List.of("prompts.max-length=300"));
        assertThat(training(new StagePlan.Source(10L, List.of())).grpo(grpo).work())
                .satisfies(work -> assertThat(work.read()).isPositive());
    }

    @Test
    void timeOfSamples_countsTheirMeanLengthAndTheirSilentShare() {
        StagePlan.Source texts = new StagePlan.Source(10L, new StagePlan.Text(0.6, 200), List.of());
        ParSftConfig config = sft("training.epochs=1", "examples.silent-share=0.5");
        assertThat(training(texts).sft(config).work())
                .isEqualTo(new StageNeed.Work(10 * 0.8 * (200 / 4 + 250) * 6 * PARAMETERS, 0, true));
        assertThat(training(new StagePlan.Source(10L, new StagePlan.Text(1, 9e9), List.of()))
                        .sft(config)
                        .work())
                .as("at most the longest example")
                .isEqualTo(new StageNeed.Work(10.0 * 400 * 6 * PARAMETERS, 0, true));
    }

    /** The options' names and types are those of TRL's ModelConfig, SFTConfig and GRPOConfig. */
    @Test
    void anotherTrainerTrainsWhatTheConfigurationDecides() {
        PlannedTraining training = training(new StagePlan.Source(10L, List.of("--examples", "s.jsonl")));
        String sft = training.sft(sft("training.lora={rank: 8, alpha: 16, targets: [v_proj, q_proj]}"))
                .elsewhere();
        assertThat(sft)
                .endsWith(" --max_length 400 --use_peft --lora_r 8 --lora_alpha 16 --lora_dropout 0"
                        + " --lora_target_modules q_proj v_proj");
        assertThat(training.sft(sft()).elsewhere()).doesNotContain("peft");

        ParGrpoConfig grpo = StrictYaml.read(
                CONFIGS.resolve("reasoner-grpo.yaml"),
                ParGrpoConfig.class,
                List.of(
                        "prompts.max-length=300",
                        "training.learning-rate=3.0e-6",
                        "training.kl-coefficient=0.02",
                        "training.epochs=2",
                        "training.prompts-per-step=64",
                        "training.updates-per-rollout=3",
                        "rollouts.group-size=4",
                        "rollouts.temperature=0.9",
                        "rollouts.max-new-tokens=700"));
        assertThat(training.grpo(grpo).elsewhere())
                .isEqualTo("configs/launch/trl.sh grpo " + directory
                        + " run/model --examples s.jsonl -- --learning_rate 3.0E-6"
                        + " --num_train_epochs 2 --gradient_accumulation_steps 4 --beta 0.02 --num_iterations 3"
                        + " --num_generations 4 --temperature 0.9 --max_completion_length 700");
    }

    @Test
    void responsesToPromptsOfUnknownLengthHaveAnUnknownNeed() {
        StagePlan plan = new StagePlan();
        PlannedGeneration responses = new PlannedGeneration(plan.model(directory), Precision.FP32, 8, 100, false);
        assertThat(responses.need(plan, 10L, 1)).satisfies(need -> {
            assertThat(need.bytes()).isNull();
            assertThat(need.about())
                    .isEqualTo("its memory is unknown: the plan has no training whose max-length bounds the prompts");
        });
        plan.makes(Path.of("run/model"), new StagePlan.Model(directory, null, 400));
        assertThat(responses.need(plan, 10L, 1).about()).contains("to prompts of 400,");
    }

    @Test
    void aModelOfAnUnknownFamilyIsRefused() throws IOException {
        Files.writeString(directory.resolve("config.json"), "{\"model_type\": \"mistral\"}");
        assertThatThrownBy(() -> training(new StagePlan.Source(null, List.of())).sft(sft()))
                .hasMessageContainingAll(
                        "config.json: model_type = \"mistral\": only [llama, qwen2, ",
                        "qwen2_5_vl] are supported; use a model of these families");
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
