package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.par.training.GrpoConfig;
import dev.prpf.par.training.ParGrpoConfig;
import dev.prpf.par.training.ParSftConfig;
import dev.prpf.par.training.SftConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
                    "seq-mean-token-mean"),
            "ms-swift-sft.yaml",
            Map.of(
                    "/learning_rate",
                    1e-5,
                    "/num_train_epochs",
                    5,
                    "/warmup_ratio",
                    0.1,
                    "/lr_scheduler_type",
                    "cosine"),
            "ms-swift-grpo.yaml",
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
            "openrlhf-sft.sh",
            Map.of(
                    "/adam.lr",
                    1e-5,
                    "/train.max_epochs",
                    5,
                    "/lr_warmup_ratio",
                    0.1,
                    "/lr_scheduler",
                    "cosine",
                    "/train.batch_size",
                    16 * 2),
            "openrlhf-grpo.sh",
            Map.of(
                    "/actor.adam.lr",
                    5e-7,
                    "/train.num_episodes",
                    1,
                    "/algo.kl.init_coef",
                    0.05,
                    "/algo.kl.estimator",
                    "k3",
                    "/rollout.n_samples_per_prompt",
                    8,
                    "/rollout.batch_size",
                    32,
                    "/train.batch_size",
                    32 * 8,
                    "/algo.advantage.estimator",
                    "group_norm",
                    "/actor.loss_agg_mode",
                    "seq-mean-token-mean"),
            "slime-grpo.sh",
            Map.of(
                    "/lr",
                    5e-7,
                    "/num-epoch",
                    1,
                    "/kl-loss-coef",
                    0.05,
                    "/kl-loss-type",
                    "low_var_kl",
                    "/n-samples-per-prompt",
                    8,
                    "/rollout-batch-size",
                    32,
                    "/global-batch-size",
                    32 * 8,
                    "/advantage-estimator",
                    "grpo"));

    /** Returns the files for trainers; other files submit jobs. */
    static List<String> shipped() throws IOException {
        try (Stream<Path> files = Files.list(LAUNCH)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches(".*-(sft|grpo)\\.(yaml|sh)"))
                    .sorted()
                    .toList();
        }
    }

    /** A YAML file, or the options of a script's one command. */
    private static JsonNode read(String name) throws IOException {
        if (name.endsWith(".yaml")) {
            return YAML.readTree(LAUNCH.resolve(name).toFile());
        }
        ObjectNode options = YAML.createObjectNode();
        Matcher option = Pattern.compile("(?m)^  --(\\S+)(?: ([^\"\\s\\\\]+))? ?.*\\\\$")
                .matcher(Files.readString(LAUNCH.resolve(name)));
        while (option.find()) {
            String value = option.group(2);
            if (value != null && value.matches("[0-9.]+(e-\\d+)?")) {
                options.put(option.group(1), Double.parseDouble(value));
            } else {
                options.put(option.group(1), value == null ? "" : value);
            }
        }
        return options;
    }

    @Test
    void everyFileIsListedHere() throws IOException {
        assertThat(shipped()).containsExactlyInAnyOrderElementsOf(TABLE_4.keySet());
    }

    @Test
    void scriptsAreExecutableAndBash() throws IOException, InterruptedException {
        List<String> scripts =
                shipped().stream().filter(name -> name.endsWith(".sh")).toList();
        assertThat(scripts).hasSize(3);
        for (String script : scripts) {
            Path file = LAUNCH.resolve(script);
            assertThat(file).isExecutable();
            assertThat(new ProcessBuilder("bash", "-n", file.toString()).start().waitFor())
                    .as(script)
                    .isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void grpoLaunch_hasARewardServiceSidecar(String name) throws IOException {
        assertThat(Files.readString(LAUNCH.resolve(name)).contains("with-reward.sh"))
                .isEqualTo(name.contains("-grpo"));
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

    /** Checks that all trainers use our recipes' settings. */
    @Test
    void schedulesAndCorrectionsAreThoseOfOurRecipes() throws IOException {
        GrpoConfig grpo = StrictYaml.read(
                        JsonContract.CONFIGS.resolve("reasoner-grpo-prpf.yaml"), ParGrpoConfig.class, List.of())
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
                        JsonContract.CONFIGS.resolve("reasoner-sft-prpf.yaml"), ParSftConfig.class, List.of())
                .training();
        String sftSchedule = sft.lrSchedulerType().name().toLowerCase(Locale.ROOT);
        for (String file : List.of("trl-sft.yaml", "llama-factory-sft.yaml")) {
            assertThat(read(file).at("/lr_scheduler_type").textValue()).as(file).isEqualTo(sftSchedule);
        }
        assertThat(read("verl-sft.yaml").at("/optim/lr_scheduler_type").textValue())
                .isEqualTo(sftSchedule);
        assertThat(read("openrlhf-grpo.sh").at("/actor.lr_scheduler").textValue())
                .isEqualTo(schedule);
        assertThat(read("slime-grpo.sh").at("/lr-decay-style").textValue()).isEqualTo(schedule);
        JsonNode swift = read("ms-swift-grpo.yaml");
        assertThat(swift.at("/lr_scheduler_type").textValue()).isEqualTo(schedule);
        assertThat(swift.at("/num_iterations").intValue()).isEqualTo(grpo.updatesPerRollout());
        assertThat(swift.at("/rollout_importance_sampling_threshold").doubleValue())
                .isEqualTo(grpo.importanceSamplingClipMax());
        assertThat(sft.selection()).as("the paper keeps the last").isEqualTo(SftConfig.Selection.LAST);
        assertThat(grpo.selection()).as("the paper keeps the last").isEqualTo(GrpoConfig.Selection.LAST);
    }

    @Test
    void batchesAreThePapersOnEightDevices() throws IOException {
        for (String name : List.of("llama-factory-sft.yaml", "trl-sft.yaml", "ms-swift-sft.yaml")) {
            JsonNode file = read(name);
            assertThat(file.get("per_device_train_batch_size").intValue() * GPUS)
                    .as(name)
                    .isEqualTo(16);
            assertThat(file.get("gradient_accumulation_steps").intValue())
                    .as(name)
                    .isEqualTo(2);
        }
        for (String name : List.of("trl-grpo.yaml", "ms-swift-grpo.yaml")) {
            JsonNode grpo = read(name);
            assertThat(grpo.get("per_device_train_batch_size").intValue()
                            * grpo.get("gradient_accumulation_steps").intValue()
                            * GPUS)
                    .as(name + ": responses a step")
                    .isEqualTo(32 * grpo.get("num_generations").intValue());
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void beginsWithItsCommandWhichThePageHasToo(String name) throws IOException {
        List<String> head = Files.readAllLines(LAUNCH.resolve(name)).stream()
                .filter(line -> !line.startsWith("#!"))
                .takeWhile(line -> line.startsWith("# "))
                .toList();
        assertThat(head).hasSizeBetween(2, 4);
        assertThat(head.get(0)).contains(name.substring(0, name.indexOf('.')));
        assertThat(head.get(1)).contains("PRPF Table 4", "Needs: an export", "docs/EXPORT.md");
        assertThat(Files.readString(ROOT.resolve("docs/EXPORT.md")).lines())
                .contains(head.get(0).substring(2));
    }
}
