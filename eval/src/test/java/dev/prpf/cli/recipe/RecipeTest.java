package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.data.synth.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    void dataAndFunctionsAreRequired() {
        assertThatThrownBy(() -> recipe("functions: f.json"))
                .hasMessageContaining(
                        "data: train = null must be a file of labelled records, or null with data.synthetic");
        assertThatThrownBy(() -> recipe("data: {train: t.json}"))
                .hasMessageContaining("functions = null must be the file of the functions that a record may call");
    }

    @ParameterizedTest
    @ValueSource(strings = {"configs/quickstart.yaml", "examples/own-data/recipe.yaml", "examples/english/recipe.yaml"})
    void everyShippedRecipeLoadsAndNamesItsCommand(String name) throws IOException {
        Path file = Path.of(System.getProperty("prpf.root", ".."), name);
        Recipe recipe = Recipe.read(file, List.of()).at(file);
        assertThat(recipe.shortlist()).isEqualTo(5);
        assertThat(Files.readAllLines(file).get(0)).startsWith("# ./prpf ").contains(name);
    }

    @Test
    void overridesChangeDefaultsToo() throws IOException {
        assertThat(recipe(LEAST, "gate.false-triggers=5").gate().falseTriggers())
                .isEqualTo(5);
    }
}
