package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.data.Language;
import dev.prpf.eval.report.PipelineReport.GateMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecipeTest {
    private static final String LEAST = "data: {train: t.json}\nfunctions: f.json\n";

    @TempDir
    private Path folder;

    private Recipe recipe(String text, String... overrides) throws IOException {
        return Recipe.read(Files.writeString(folder.resolve("r.yaml"), text), List.of(overrides));
    }

    @Test
    void everythingButDataAndFunctionsHasADefault() throws IOException {
        Recipe recipe = recipe(LEAST);
        assertThat(recipe.preset()).isEqualTo(Recipe.Preset.TINY);
        assertThat(recipe.isTiny()).isTrue();
        assertThat(recipe.method()).isEqualTo(Recipe.Method.FULL);
        assertThat(recipe.language()).isEqualTo(Language.EN);
        assertThat(recipe.gate().falseTriggers()).isEqualTo(15);
        assertThat(recipe.responseTokens()).isEqualTo(96);
        assertThat(recipe.out(Path.of("my recipes/tea.yaml"))).isEqualTo(Path.of("runs/tea"));
        assertThat(recipe.out(Path.of("tea/recipe.yaml"))).isEqualTo(Path.of("runs/tea"));
    }

    @Test
    void pathsAreRelativeToTheRecipe() throws IOException {
        Path tea = Files.createDirectories(folder.resolve("Tee für zwei"));
        Path base = Files.createDirectory(tea.resolve("base"));
        Recipe recipe =
                recipe("preset: small\nreasoner: {base: base}\n" + LEAST).at(tea.resolve("r.yaml"));
        assertThat(recipe.data().train()).isEqualTo(tea.resolve("t.json"));
        assertThat(recipe.functions()).isEqualTo(tea.resolve("f.json"));
        assertThat(recipe.reasoner().base()).isEqualTo(base.toString());
        assertThat(recipe.method()).isEqualTo(Recipe.Method.LORA);
        assertThat(recipe("preset: small\nreasoner: {base: 'hub:a/b'}\n" + LEAST)
                        .hubName())
                .isEqualTo("a/b");
    }

    @Test
    void inputsOfTheSameNameHaveTheirOwnRoles() throws IOException {
        Recipe recipe = recipe("data: {train: train/records.json, test: test/records.json}\nfunctions: f.json\n");
        assertThat(recipe.inputs())
                .containsExactly(
                        Map.entry("train", Path.of("train/records.json")),
                        Map.entry("test", Path.of("test/records.json")),
                        Map.entry("functions", Path.of("f.json")));
    }

    @Test
    void imagesOfARunsRecordsAreThoseOfItsRecipe() throws IOException {
        Recipe recipe = recipe("data: {train: t.json, images: shots, test-images: more}\nfunctions: f.json\n");
        RecipeFiles files = RecipeFiles.of(folder.resolve("run"));
        assertThat(files.imagesOf(files.test())).as("no run").isNull();
        RunDescription description = new RunDescription("train", List.of(), StrictYaml.write(recipe), Map.of());
        RunDirectory.open(files.root(), Resume.AUTO, description).close();
        assertThat(files.imagesOf(files.test())).isEqualTo(Path.of("more"));
        assertThat(files.imagesOf(files.train())).isEqualTo(Path.of("shots"));
        assertThat(files.imagesOf(Path.of("other.json"))).isNull();
    }

    @Test
    void evaluationsWithOtherImagesHaveTheirOwnFolder() throws IOException {
        Path records = Files.writeString(folder.resolve("records.json"), "[]");
        String name = EvaluateCommand.nameOf(records, null);
        assertThat(name).isEqualTo(AtomicFiles.sha256(records).substring(0, 12));
        assertThat(List.of(
                        name,
                        EvaluateCommand.nameOf(records, folder.resolve("a")),
                        EvaluateCommand.nameOf(records, folder.resolve("b"))))
                .doesNotHaveDuplicates();
        assertThat(EvaluateCommand.nameOf(records, folder.resolve("b/../a")))
                .isEqualTo(EvaluateCommand.nameOf(records, folder.resolve("a")));
    }

    @Test
    void aBaselineGateWithoutThresholdIsReported() throws IOException {
        Recipe recipe = recipe(LEAST, "gate.false-triggers=0");
        boolean[] acts = {true, false};
        assertThat(RecipeResults.threshold(recipe.gate(), new double[] {0.99, 0.99}, acts))
                .isNull();
        assertThat(RecipeResults.threshold(recipe.gate(), new double[] {0.9, 0.1}, acts))
                .isBetween(0.1, 0.9);
        GateMetrics metrics = new GateMetrics(90, 90);
        assertThat(RecipeReport.limitations(recipe, Map.of("perceiver", metrics)))
                .contains("The baseline gate tfidf_lr was not measured: it needs 50 training records, both classes in"
                        + " each split, and a threshold that keeps gate.false-triggers = 0.0 on its dev samples.");
        assertThat(RecipeReport.limitations(recipe, Map.of("perceiver", metrics, "tfidf_lr", metrics)))
                .noneMatch(limitation -> limitation.contains("tfidf_lr"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lenguage: en | r.yaml:4: lenguage: is not a known key (did you mean \"language\"?)",
                "gate: {false-trigers: 2} | gate.false-trigers: is not a known key (did you mean \"false-triggers\"?)",
                "language: fr | language: is \"fr\", must be one of zh, en",
                "preset: small | reasoner.base = null must be a model folder or hub:ORGANISATION/NAME where preset is not tiny",
                "reasoner: {method: lora} | reasoner.method = lora must be full where reasoner.base is tiny",
                "gate: {confidence: 100} | gate: confidence = 100.0 must be between 0 and 100",
            })
    void aWrongKeyOrValueIsNamed(String line, String message) {
        assertThatThrownBy(() -> recipe("data:\n  train: t.json\nfunctions: f.json\n" + line))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining(message);
    }

    @Test
    void numbersOfSyntheticRecordsHaveDefaults() throws IOException {
        assertThat(recipe("data: {synthetic: {train: 100}}").data().synthetic())
                .isEqualTo(new Recipe.Synthetic(100, 200, true, 0, 0));
    }

    @Test
    void dataAndFunctionsAreRequired() {
        assertThatThrownBy(() -> recipe("functions: f.json"))
                .hasMessageContaining(
                        "r.yaml: data: train = null must be a file of labelled records, or null with data.synthetic");
        assertThatThrownBy(() -> recipe("data: {train: t.json}"))
                .hasMessageContaining("functions = null must be the file of the functions that a record may call");
    }

    @ParameterizedTest
    @CsvSource({"configs/quickstart.yaml, 5", "examples/own-data/recipe.yaml, 5", "examples/english/recipe.yaml, 1"})
    void everyShippedRecipeLoadsAndNamesItsCommand(String name, int shortlist) throws IOException {
        Path file = Path.of(System.getProperty("prpf.root", ".."), name);
        Recipe recipe = Recipe.read(file, List.of()).at(file);
        assertThat(recipe.shortlist()).isEqualTo(shortlist);
        assertThat(Files.readAllLines(file).get(0)).startsWith("# ./prpf ").contains(name);
    }

    @Test
    void overridesChangeDefaultsToo() throws IOException {
        assertThat(recipe(LEAST, "gate.false-triggers=5").gate().falseTriggers())
                .isEqualTo(5);
    }
}
