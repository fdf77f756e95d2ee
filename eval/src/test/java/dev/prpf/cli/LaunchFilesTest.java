package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.par.training.ParSftConfig;
import dev.prpf.par.training.SftConfig;
import dev.prpf.par.training.grpo.GrpoConfig;
import dev.prpf.par.training.grpo.ParGrpoConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The launch files of other trainers say PRPF's Table 4 and how they are used. That the trainers take them is checked with their own code by
 * {@code par-serve/src/test/python/check_export.py}.
 */
class LaunchFilesTest {
    private static final Path ROOT = Path.of(System.getProperty("prpf.root", ".."));
    private static final Path LAUNCH = ROOT.resolve("configs/launch");
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final int GPUS = 8;
    /** What {@code prpf launch} submits jobs with; tested beside it. */
    private static final Set<String> OURS = Set.of("job.yaml", "slurm.sh", "kubernetes.yaml", "local.sh", "member.sh");

    /** Where each trainer keeps learning rate, epochs, and what else the paper says of the stage. */
    private static final Map<String, Map<String, Object>> TABLE_4 = Map.of(
            "llama-factory-sft.yaml",
            Map.of(
                    "/learning_rate",
                    1e-5,
                    "/num_train_epochs",
                    5,
                    "/warmup_ratio",
                    0.1,
                    "/lr_scheduler_type",
                    "cosine"),
            "trl-sft.yaml",
            Map.of(
                    "/learning_rate",
                    1e-5,
                    "/num_train_epochs",
                    5,
                    "/warmup_steps",
                    0.1,
                    "/lr_scheduler_type",
                    "cosine"),
            "verl-sft.yaml",
            Map.of(
                    "/optim/lr",
                    1e-5,
                    "/trainer/total_epochs",
                    5,
                    "/optim/lr_warmup_steps_ratio",
                    0.1,
                    "/optim/lr_scheduler_type",
                    "cosine",
                    "/data/train_batch_size",
                    16 * 2),
            "trl-grpo.yaml",
            Map.of(
                    "/learning_rate",
                    5e-7,
                    "/num_train_epochs",
                    1,
                    "/beta",
                    0.05,
                    "/num_generations",
                    8,
                    "/loss_type",
                    "grpo"),
            "verl-grpo.yaml",
            Map.of(
                    "/actor_rollout_ref/actor/optim/lr",
                    5e-7,
                    "/trainer/total_epochs",
                    1,
                    "/actor_rollout_ref/actor/kl_loss_coef",
                    0.05,
                    "/actor_rollout_ref/rollout/n",
                    8,
                    "/data/train_batch_size",
                    32,
                    "/actor_rollout_ref/actor/ppo_mini_batch_size",
                    32,
                    "/actor_rollout_ref/actor/loss_agg_mode",
                    "seq-mean-token-mean"));

    static List<String> shipped() throws IOException {
        try (Stream<Path> files = Files.list(LAUNCH)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !OURS.contains(name))
                    .sorted()
                    .toList();
        }
    }

    private static JsonNode read(String name) throws IOException {
        return YAML.readTree(LAUNCH.resolve(name).toFile());
    }

    @Test
    void everyFileIsListedHere() throws IOException {
        assertThat(shipped()).containsExactlyInAnyOrderElementsOf(TABLE_4.keySet());
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void saysThePapersNumbers(String name) throws IOException {
        JsonNode file = read(name);
        TABLE_4.getOrDefault(name, Map.of()).forEach((place, expected) -> {
            JsonNode seen = file.at(place);
            assertThat(expected instanceof Number ? (Object) seen.doubleValue() : seen.textValue())
                    .as(name + " " + place)
                    .isEqualTo(expected instanceof Number number ? (Object) number.doubleValue() : expected);
        });
    }

    /** The same training, whichever program runs it. */
    @Test
    void schedulesAndCorrectionsAreThoseOfOurRecipes() throws IOException {
        GrpoConfig grpo = StrictYaml.read(
                        ConfigFilesTest.CONFIGS.resolve("par-grpo-prpf.yaml"), ParGrpoConfig.class, List.of())
                .training();
        JsonNode trl = read("trl-grpo.yaml");
        JsonNode verl = read("verl-grpo.yaml");
        String schedule = grpo.lrSchedulerType().name().toLowerCase(Locale.ROOT);
        assertThat(trl.at("/lr_scheduler_type").textValue()).isEqualTo(schedule);
        assertThat(verl.at("/actor_rollout_ref/actor/optim/lr_scheduler_type").textValue())
                .isEqualTo(schedule);
        assertThat(trl.at("/warmup_steps").doubleValue()).isEqualTo(grpo.warmupRatio());
        assertThat(verl.at("/actor_rollout_ref/actor/optim/lr_warmup_steps_ratio")
                        .doubleValue())
                .isEqualTo(grpo.warmupRatio());
        assertThat(trl.at("/num_iterations").intValue()).isEqualTo(grpo.updatesPerRollout());
        assertThat(verl.at("/actor_rollout_ref/actor/ppo_epochs").intValue()).isEqualTo(grpo.updatesPerRollout());
        assertThat(trl.at("/vllm_importance_sampling_clip_max").doubleValue())
                .isEqualTo(grpo.importanceSamplingClipMax());
        assertThat(verl.at("/algorithm/rollout_correction/rollout_is_threshold").doubleValue())
                .isEqualTo(grpo.importanceSamplingClipMax());
        SftConfig sft = StrictYaml.read(
                        ConfigFilesTest.CONFIGS.resolve("par-sft-prpf.yaml"), ParSftConfig.class, List.of())
                .training();
        String sftSchedule = sft.lrSchedulerType().name().toLowerCase(Locale.ROOT);
        for (String file : List.of("trl-sft.yaml", "llama-factory-sft.yaml")) {
            assertThat(read(file).at("/lr_scheduler_type").textValue()).as(file).isEqualTo(sftSchedule);
        }
        assertThat(read("verl-sft.yaml").at("/optim/lr_scheduler_type").textValue())
                .isEqualTo(sftSchedule);
        assertThat(sft.selection()).as("the paper keeps the last").isEqualTo(SftConfig.Selection.LAST);
        assertThat(grpo.selection()).as("the paper keeps the last").isEqualTo(GrpoConfig.Selection.LAST);
    }

    @Test
    void batchesAreThePapersOnEightDevices() throws IOException {
        for (String name : List.of("llama-factory-sft.yaml", "trl-sft.yaml")) {
            JsonNode file = read(name);
            assertThat(file.get("per_device_train_batch_size").intValue() * GPUS)
                    .as(name)
                    .isEqualTo(16);
            assertThat(file.get("gradient_accumulation_steps").intValue())
                    .as(name)
                    .isEqualTo(2);
        }
        JsonNode grpo = read("trl-grpo.yaml");
        assertThat(grpo.get("per_device_train_batch_size").intValue()
                        * grpo.get("gradient_accumulation_steps").intValue()
                        * GPUS)
                .as("responses a step")
                .isEqualTo(32 * grpo.get("num_generations").intValue());
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void beginsWithItsCommandWhichThePageHasToo(String name) throws IOException {
        String stem = name.replace(".yaml", "");
        List<String> head = Files.readAllLines(LAUNCH.resolve(name)).stream()
                .takeWhile(line -> line.startsWith("# "))
                .toList();
        assertThat(head).hasSize(2);
        assertThat(head.get(0)).contains(stem);
        assertThat(head.get(1)).contains("PRPF Table 4", "Needs: an export", "docs/EXPORT.md");
        assertThat(Files.readString(ROOT.resolve("docs/EXPORT.md")).lines())
                .contains(head.get(0).substring(2));
    }
}
