package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioCatalogReaderTest {
    private static final String GOOD =
            """
            {"scenarios": [{"name": "Travel", "chinese": "旅行"}, {"name": "Home", "chinese": "家居"}],
             "functions": {"book": "Travel", "light": "Home"}}""";

    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("scenarios.json"), text);
    }

    @Test
    void readsScenariosInOrderAndTheMap() throws IOException {
        ScenarioCatalog catalog = ScenarioCatalogReader.read(file(GOOD));
        assertThat(catalog.names()).containsExactly("Travel", "Home");
        assertThat(catalog.scenarioOf("light")).isEqualTo("Home");
        assertThat(catalog.scenarioOf("other")).isNull();
    }

    @Test
    void theShippedOneIsCompleteForTheShippedPool() {
        ScenarioCatalog catalog = ScenarioCatalogReader.shipped();
        assertThat(catalog.size()).isEqualTo(14);
        FunctionPool pool = FunctionPoolFile.shipped();
        assertThat(pool.size()).isEqualTo(63);
        assertThat(catalog.missing(pool)).isEmpty();
    }

    @Test
    void whatTheMapLacksIsNamed() throws IOException {
        ScenarioCatalog catalog = ScenarioCatalogReader.read(file(GOOD));
        FunctionPool pool = new FunctionPool(List.of(
                new FunctionSpec("book", "", List.of(), List.of()), new FunctionSpec("pay", "", List.of(), List.of())));
        assertThat(catalog.missing(pool)).containsExactly("pay");
    }

    @Test
    void theChineseNameIsOptional() throws IOException {
        ScenarioCatalog catalog = ScenarioCatalogReader.read(file(GOOD.replace(", \"chinese\": \"旅行\"", "")));
        assertThat(catalog.scenarios()).containsExactly(new Scenario("Travel", "Travel"), new Scenario("Home", "家居"));
    }

    private static FunctionSpec function(String name, @Nullable String scenario, String... similar) {
        return new FunctionSpec(name, "", List.of(similar), List.of(), scenario);
    }

    @Test
    void functionsMayStateTheirScenarios() {
        ScenarioCatalog catalog = ScenarioCatalogReader.of(
                new FunctionPool(
                        List.of(function("book", "Travel"), function("light", "Home"), function("cancel", "Travel"))),
                null);
        assertThat(catalog.names()).containsExactly("Travel", "Home");
        assertThat(catalog.functions()).isEqualTo(Map.of("book", "Travel", "light", "Home", "cancel", "Travel"));
    }

    @Test
    void aScenarioForSomeFunctionsOnlyIsRefused() {
        FunctionPool pool = new FunctionPool(List.of(function("book", "Travel"), function("light", null)));
        assertThatThrownBy(() -> ScenarioCatalogReader.of(pool, null))
                .hasMessageContaining("1 of 2 functions have no \"scenario\", first: light");
    }

    @Test
    void withoutAnyScenarioSimilarFunctionsShareOne() {
        FunctionPool pool = new FunctionPool(List.of(
                function("light", null),
                function("book", null),
                function("cancel", null, "book", "unknown"),
                function("lamp", null, "light")));
        assertThat(ScenarioCatalogReader.of(pool, null).functions())
                .isEqualTo(Map.of("light", "light", "lamp", "light", "book", "book", "cancel", "book"));
    }

    @Test
    void aPoolOfShippedFunctionsHasTheShippedScenarios() {
        assertThat(ScenarioCatalogReader.of(FunctionPoolFile.shipped(), null).names())
                .isEqualTo(ScenarioCatalogReader.shipped().names());
    }

    private void fails(String text, String... parts) throws IOException {
        Path file = file(text);
        assertThatThrownBy(() -> ScenarioCatalogReader.read(file))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("scenarios.json")
                .hasMessageContainingAll(parts);
    }

    @Test
    void defectsAreNamedAllAtOnce() throws IOException {
        fails(
                GOOD.replace("\"Home\"}}", "\"Hom\", \"x\": 3}, \"more\": 1}")
                        .replace("\"chinese\": \"旅行\"", "\"zh\": \"旅行\""),
                "at /functions/light: \"Hom\": must be one of",
                "at /functions/x: 3: is an integer, must be a string",
                "at /more: 1: is not a field of a scenario file, must be one of [functions, scenarios]",
                "at /scenarios/0/zh: \"旅行\": is not a field of a scenario file");
        fails(
                GOOD.replace("\"Home\", \"chinese\"", "\"Travel\", \"chinese\""),
                "at /scenarios/1/name: \"Travel\": must be unique");
        fails(GOOD.replace("\"light\"", "\"book\""), "is a duplicate");
        fails("{\"scenarios\": [], \"functions\": {}}", "at least one scenario");
        fails("[]", "is an array, must be an object");
        fails("{", "truncated");
    }
}
