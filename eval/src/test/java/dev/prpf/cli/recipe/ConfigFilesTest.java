package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.cli.sweep.SweepConfig;
import dev.prpf.eval.ablate.AblateConfig;
import dev.prpf.par.command.AdoptCommand;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.rollout.DataRolloutsConfig;
import dev.prpf.par.rollout.GrpoSet.GrpoSetSettings;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.sets.DataCallsConfig;
import dev.prpf.par.sets.SftSet.DataSftConfig;
import dev.prpf.par.training.ParGrpoConfig;
import dev.prpf.par.training.ParSftConfig;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every shipped YAML loads strictly and begins with the command that uses it. */
class ConfigFilesTest {
    private static final Path CONFIGS =
            Path.of(System.getProperty("prpf.root", "..")).resolve("configs");

    /** So that {@code reasoner sft --examples} takes what {@code data sft-set} makes. */
    @Test
    void setsAndTrainingsOfOneNameHaveOnePrompt() {
        for (String name : List.of(
                ".yaml", "-prpf.yaml", "-prpf-ocr.yaml", "-proactivemobile.yaml", "-proactivemobile-ocr.yaml")) {
            assertThat(StrictYaml.read(CONFIGS.resolve("data-sft-set" + name), DataSftConfig.class, List.of())
                            .prompt())
                    .isEqualTo(StrictYaml.read(CONFIGS.resolve("reasoner-sft" + name), ParSftConfig.class, List.of())
                            .prompt());
        }
    }

    /** From the records to the reward all read and answer the same prompts. */
    @Test
    void theConfigurationsOfFunctionCallsFitTogether() {
        DataCallsConfig set = StrictYaml.read(CONFIGS.resolve("data-calls.yaml"), DataCallsConfig.class, List.of());
        ParSftConfig sft = StrictYaml.read(CONFIGS.resolve("reasoner-sft-calls.yaml"), ParSftConfig.class, List.of());
        DataRolloutsConfig rollouts =
                StrictYaml.read(CONFIGS.resolve("data-rollout-set-calls.yaml"), DataRolloutsConfig.class, List.of());
        ParGrpoConfig grpo =
                StrictYaml.read(CONFIGS.resolve("reasoner-grpo-calls.yaml"), ParGrpoConfig.class, List.of());
        assertThat(sft.prompt()).isEqualTo(set.prompt());
        assertThat(StrictYaml.read(
                                CONFIGS.resolve("reasoner-adopt.yaml"),
                                AdoptCommand.RegistrationConfig.class,
                                List.of())
                        .prompt())
                .isEqualTo(set.prompt());
        assertThat(rollouts.prompts().maxLength())
                .isGreaterThanOrEqualTo(set.set().maxLength());
        assertThat(rollouts.reward()).isEqualTo(grpo.reward()).isEqualTo(RewardSettings.PAPER);
    }

    /** Prompts show images, as in the papers; their number of tokens is bounded and leaves most of the length to text. */
    @ParameterizedTest
    @ValueSource(strings = {"prpf", "proactivemobile"})
    void thePapersRecipesShowImagesAndTrainOnAllRecords(String paper) {
        ParSftConfig recipe =
                StrictYaml.read(CONFIGS.resolve("reasoner-sft-" + paper + ".yaml"), ParSftConfig.class, List.of());
        ParSftConfig ocr =
                StrictYaml.read(CONFIGS.resolve("reasoner-sft-" + paper + "-ocr.yaml"), ParSftConfig.class, List.of());
        Integer most = recipe.prompt().maxScreenshots();
        Integer each = recipe.prompt().maxVisualTokens();
        assertThat(recipe.prompt().screenshots()).isEqualTo(ScreenshotForm.PIXELS);
        assertThat(List.of(Objects.requireNonNull(most), Objects.requireNonNull(each)))
                .containsExactly(10, 256);
        assertThat(most * each).isLessThan(recipe.examples().maxLength() / 4);
        assertThat(ocr.prompt().screenshots()).isEqualTo(ScreenshotForm.OCR);
        assertThat(recipe.training().devShare()).isZero();
        assertThat(ocr.training())
                .usingRecursiveComparison()
                .ignoringFields("trainVision")
                .isEqualTo(recipe.training());
        assertThat(recipe.training().trainVision())
                .as("ProactiveMobile trains all parameters")
                .isEqualTo(paper.equals("prpf") ? TrainVision.NONE : TrainVision.ALL);
    }

    /** Checks the settings of ProactiveMobile, Appendix A. */
    @Test
    void theSingleStageModelIsTrainedAsProactiveMobileTrainsIt() {
        ParSftConfig config =
                StrictYaml.read(CONFIGS.resolve("reasoner-sft-proactivemobile.yaml"), ParSftConfig.class, List.of());
        assertThat(config.prompt().reasoning()).isEqualTo(ReasoningMode.REC_FUNCTION);
        assertThat(config.prompt().maxScreenshots()).isEqualTo(10);
        assertThat(config.examples().shortlist()).as("the whole pool").isNull();
        assertThat(config.training().batchSize() * config.training().gradientAccumulationSteps())
                .isEqualTo(64);
        assertThat(config.training().learningRate()).isEqualTo(1e-5);
        assertThat(config.training().warmupRatio()).isEqualTo(0.1);
        assertThat(config.training().epochs()).isEqualTo(4);
        for (String format : List.of("function", "think-function", "think-rec-function")) {
            ParSftConfig small = StrictYaml.read(
                    CONFIGS.resolve("quickstart/reasoner-sft-single.yaml"),
                    ParSftConfig.class,
                    List.of("prompt.reasoning=" + format));
            assertThat(small.prompt().reasoning().singleStage()).isTrue();
        }
    }

    @Test
    void theShippedLimitsOfTheServerAreThoseItHasWithoutAFile() {
        assertThat(StrictYaml.read(CONFIGS.resolve("serve.yaml"), ServeConfig.class, List.of()))
                .isEqualTo(ServeConfig.DEFAULT);
    }

    @Test
    void theShippedRewardIsTheDefault() {
        assertThat(StrictYaml.read(CONFIGS.resolve("reasoner-reward.yaml"), RewardSettings.class, List.of()))
                .isEqualTo(RewardSettings.PAPER);
    }

    @Test
    void theShippedRolloutsHaveThePapersRewardAndSet() {
        DataRolloutsConfig paper =
                StrictYaml.read(CONFIGS.resolve("data-rollout-set-prpf.yaml"), DataRolloutsConfig.class, List.of());
        assertThat(paper.reward()).isEqualTo(RewardSettings.PAPER);
        assertThat(paper.set()).isEqualTo(GrpoSetSettings.PAPER);
        assertThat(paper.sampling().groupSize()).isEqualTo(8);
        DataRolloutsConfig small =
                StrictYaml.read(CONFIGS.resolve("data-rollout-set.yaml"), DataRolloutsConfig.class, List.of());
        assertThat(small.reward()).isEqualTo(RewardSettings.PAPER);
    }

    static List<String> shipped() {
        return ShippedConfigs.files().keySet().stream()
                .filter(name -> ShippedConfigs.type(name).orElse(null) != Recipe.class) // see RecipeTest
                .toList();
    }

    private static Class<? extends Record> type(String name) {
        return ShippedConfigs.type(name)
                .orElseGet(() -> name.startsWith("sweeps/") ? SweepConfig.class : AblateConfig.class);
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void loadsAndNamesItsCommand(String name) throws IOException {
        Path file = ShippedConfigs.file(name);
        Record config = StrictYaml.read(file, type(name), List.of());
        assertThat(StrictYaml.readText(name, StrictYaml.write(config), config.getClass(), List.of()))
                .as("written and read again")
                .isEqualTo(config);
        String head = Files.readString(file)
                .lines()
                .takeWhile(line -> line.startsWith("#"))
                .reduce("", String::concat);
        assertThat(head)
                .containsPattern("prpf (quickstart|launch|data|gate|reasoner|serve|eval|grid)\\b")
                .contains(name + ".yaml")
                .containsIgnoringCase("needs");
    }

    /** An empty mapping is a file without differences, except for the keys that every file must state. */
    @ParameterizedTest
    @FieldSource("dev.prpf.cli.recipe.ShippedConfigs#TYPES")
    void everyKeyHasADefault(Class<? extends Record> type) {
        Defaults defaults = Objects.requireNonNull(type.getAnnotation(Defaults.class));
        if (defaults.except().length == 0) {
            assertThat(StrictYaml.readText("empty", "{}", type, List.of()))
                    .isEqualTo(StrictYaml.shipped(defaults.value(), type));
        } else {
            assertThatThrownBy(() -> StrictYaml.readText("empty", "{}", type, List.of()))
                    .hasMessageContainingAll(defaults.except());
        }
    }

    /** PRPF Table 8's K, so that training shows pools of the size that the cascade shows. */
    @ParameterizedTest
    @MethodSource("shipped")
    void candidatePoolsAreOfOneSize(String name) {
        if (name.endsWith("-calls")) {
            return; // each record brings its own functions
        }
        Record config = StrictYaml.read(ShippedConfigs.file(name), type(name), List.of());
        Integer shortlist = shortlist(config);
        if (shortlist != null) {
            assertThat(shortlist).isEqualTo(5);
        }
    }

    private static @Nullable Integer shortlist(Record config) {
        if (config instanceof ParSftConfig training) {
            return training.examples().shortlist();
        } else if (config instanceof DataSftConfig set) {
            return set.set().shortlist();
        } else if (config instanceof DataRolloutsConfig rollouts) {
            return rollouts.prompts().shortlist();
        } else if (config instanceof ParGrpoConfig training) {
            return training.prompts().shortlist();
        }
        return null;
    }

    /** {@code data synth} makes samples with screenshots, and prompts with scenes have none without a perceiver. */
    @ParameterizedTest
    @MethodSource("shipped")
    void theCommandsOfSamplesNameWhatTheyNeed(String name) throws IOException {
        Path file = ShippedConfigs.file(name);
        List<String> commands = Files.readAllLines(file).stream()
                .takeWhile(line -> line.startsWith("#"))
                .filter(line -> line.contains(" --data "))
                .filter(line -> line.matches(".*prpf (reasoner|data sft-set|data rollout-set) .*"))
                .toList();
        assertThat(commands).allSatisfy(command -> assertThat(command).contains(" --images "));
        if (readsScenes(StrictYaml.read(file, type(name), List.of()))) {
            assertThat(commands).allSatisfy(command -> assertThat(command).contains(" --gate "));
        }
    }

    private static boolean readsScenes(Record config) {
        return (config instanceof ParSftConfig training && training.prompt().scenes())
                || (config instanceof DataSftConfig set && set.prompt().scenes());
    }
}
