package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.workflow.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecipePlanTest {
    private static final Path CONFIGS = Path.of("../configs");

    @TempDir
    private Path folder;

    private RecipePlan.Inputs inputs(boolean tested, String... lines) throws IOException {
        return inputs(tested, 200, lines);
    }

    private RecipePlan.Inputs inputs(boolean tested, int rarer, String... lines) throws IOException {
        Path file = Files.writeString(
                folder.resolve("r.yaml"), "data: {train: t.json}\nfunctions: f.json\n" + String.join("\n", lines));
        Recipe recipe = Recipe.read(file, List.of());
        return new RecipePlan.Inputs(
                recipe, RecipeFiles.of(Path.of("runs/{gate} {a}"), recipe), CONFIGS, 850, tested, rarer, false);
    }

    @Test
    void fewRecordsTrainAGateOfSingleStepsThatRanksFunctions() throws IOException {
        assertThat(words(RecipePlan.stages(inputs(true)), "gate"))
                .contains("--ensemble", "text-encoders=[bge-small-en-v1.5]", "runs/{gate} {a}/work/scenarios.json")
                .anyMatch(word -> word.endsWith("gate-ensemble.yaml"));
        assertThat(words(RecipePlan.stages(inputs(true)), "sft")).contains("examples.silent-share=0");
    }

    @Test
    void tooFewRecordsOfAClassTrainTheNetwork() throws IOException {
        RecipePlan.Inputs few = inputs(true, RecipePlan.ENOUGH_FOR_FOLDS - 1);
        assertThat(few.functionScenarios()).isFalse();
        assertThat(words(RecipePlan.stages(few), "sft")).doesNotContain("examples.silent-share=0");
        assertThat(words(RecipePlan.stages(few), "gate"))
                .contains("training.dev-share=0.2", "runs/{gate} {a}/work/data/train/scenarios.json")
                .anyMatch(word -> word.endsWith("gate-few.yaml"));
    }

    private static List<String> words(List<Stage> stages, String name) {
        return stages.stream()
                .filter(stage -> stage.name().equals(name))
                .map(stage -> stage.commands().get(0))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void folderNamesMayHoldBracesAndBlanks() throws IOException {
        assertThat(words(RecipePlan.stages(inputs(true)), "sft"))
                .containsSubsequence("--store", "runs/{gate} {a}/work/store", "--gate", "runs/{gate} {a}/work/gate");
    }

    @Test
    void fewRecordsAreSeenMoreOften() throws IOException {
        assertThat(words(RecipePlan.stages(inputs(true)), "sft"))
                .contains(
                        "training.epochs=10",
                        "examples.augmentation.distractor-dropout=[0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.6, 0.6, 0.3, 0.3]",
                        "examples.augmentation.candidate-dropout=false",
                        "prompt.scenes=false");
    }

    @Test
    void withoutTestRecordsNoStageReadsThem() throws IOException {
        List<Stage> stages = RecipePlan.stages(inputs(false));
        assertThat(stages)
                .extracting(Stage::name)
                .containsExactly("validate", "encode", "gate", "threshold", "init", "sft");
        assertThat(stages).allSatisfy(stage -> assertThat(stage.commands()).hasSize(1));
    }

    @Test
    void aPretrainedReasonerIsFetchedAndGetsAdapters() throws IOException {
        RecipePlan.Inputs inputs = inputs(true, "preset: small", "reasoner: {base: 'hub:org/model'}", "grpo: true");
        List<Stage> stages = RecipePlan.stages(inputs);
        assertThat(stages)
                .extracting(Stage::name)
                .containsExactly("validate", "fetch", "encode", "gate", "threshold", "sft", "grpo", "cascade");
        assertThat(words(stages, "fetch")).startsWith("data", "hub", "get", "org/model");
        assertThat(words(stages, "sft"))
                .contains("training.lora={rank: 16, alpha: 32, targets: null}", "prompt.wording=english")
                .as("few records")
                .contains("prompt.scenes=false", "examples.silent-share=0");
        assertThat(words(stages, "cascade")).containsSubsequence("--max-new", "256");
        assertThat(inputs.configs(stages).values())
                .allSatisfy(file -> assertThat(file).exists());
    }

    @Test
    void everyPresetHasConfigurationsInBothLanguages() throws IOException {
        for (String preset : List.of("tiny", "small", "paper")) {
            for (String language : List.of("zh", "en")) {
                RecipePlan.Inputs inputs = inputs(
                        true,
                        "preset: " + preset,
                        "language: " + language,
                        "reasoner: {base: some/model}",
                        "grpo: true");
                List<Stage> stages = RecipePlan.stages(inputs);
                assertThat(inputs.configs(stages).values())
                        .allSatisfy(file -> assertThat(file).exists());
                assertThat(words(stages, "gate"))
                        .contains(
                                preset.equals("paper")
                                        ? "encoder.text-encoder=bge-small-" + language + "-v1.5"
                                        : "text-encoders=[bge-small-" + language + "-v1.5]");
            }
        }
    }

    @Test
    void aConfidenceNeedsCalibrationSamples() throws IOException {
        List<Stage> stages = RecipePlan.stages(inputs(true, "gate: {false-triggers: 20, confidence: 90}"));
        assertThat(words(stages, "gate")).contains("calibration.share=0.2");
        assertThat(words(stages, "threshold")).containsSubsequence("--bound-ftr", "20.0", "--confidence", "90.0");
    }
}
