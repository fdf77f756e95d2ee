package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.cli.CommandProcess;
import dev.prpf.cli.CommandWorker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ConfigCommandTest {
    private final Path directory = CommandWorker.emptyFolder();

    private static String refused(int exitCode, String... words) {
        CommandProcess.Result result = CommandWorker.run(words);
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(exitCode);
        return result.stderr();
    }

    private static String done(String... words) {
        CommandProcess.Result result = CommandWorker.run(words);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return result.stdout();
    }

    @Test
    void list_hasALineForEachFileAndShowPrintsIt() {
        List<String> lines = done("config", "list").lines().toList();
        assertThat(lines).hasSameSizeAs(ShippedConfigs.files().keySet()).allMatch(line -> line.matches("\\S+ +\\S.*"));
        assertThat(lines)
                .extracting(line -> line.split(" +", 2)[1])
                .doesNotHaveDuplicates()
                .allMatch(summary -> summary.endsWith(".") && summary.length() <= 135)
                .noneMatch(summary -> summary.startsWith("Needs"));
        for (String line : lines) {
            assertThat(done("config", "show", line.split(" ", 2)[0])).contains("#");
        }
    }

    @Test
    void show_completesAFileOfDifferences() throws IOException {
        Files.writeString(directory.resolve("mine.yaml"), "training: {epochs: 3}\n");
        String shown = done("config", "show", "gate", "--config", "mine.yaml", "--set", "seed=7");
        assertThat(shown).contains("  epochs: 3\n", "  patience: 10 # epochs without", "seed: 7\n", "min-recall: 90.0");
        assertThat(refused(78, "config", "show", "gate", "--set", "training.epoch=3"))
                .contains("the configuration has no key \"epoch\" (did you mean \"epochs\"?)");
        assertThat(refused(2, "config", "show", "gat")).contains("is called \"gat\"; did you mean gate?");
        assertThat(refused(2, "config", "show", "ablate", "--set", "a=b")).contains("ablate has no defaults");
    }

    @Test
    void recipe_isShownAndCompleted() throws IOException {
        assertThat(done("config", "show", "recipe")).isEqualTo(Files.readString(ShippedConfigs.file("recipe")));
        Files.writeString(directory.resolve("r.yaml"), "data: {synthetic: {train: 9}}\n");
        assertThat(done("config", "show", "recipe", "--config", "r.yaml"))
                .contains("train: 9", "test: 200", "preset: tiny # tiny: a reasoner");
        assertThat(refused(78, "config", "show", "recipe", "--set", "seed=2")).contains("data: train = null must be");
    }

    @Test
    void copy_neverReplacesAFile() throws IOException {
        done("config", "copy", "quickstart/gate");
        Path shipped = ShippedConfigs.file("quickstart/gate");
        assertThat(directory.resolve("gate.yaml")).hasSameTextualContentAs(shipped);
        assertThat(done("config", "copy", "reasoner-sft-prpf", "mine.yaml"))
                .isEqualTo("wrote mine.yaml; a key that you delete has the value that"
                        + " ./prpf config show reasoner-sft prints\n");
        assertThat(done("config", "copy", "ablate")).isEqualTo("wrote ablate.yaml\n");
        assertThat(refused(2, "config", "copy", "gate")).contains("gate.yaml: exists; name another file");
    }

    @Test
    void schema_namesTheKeysOfARecipe() {
        assertThat(done("config", "schema", "recipe")).contains("\"test-share\"", "\"lora\"");
        assertThat(refused(2, "config", "schema", "gatefoo")).contains("is called \"gatefoo\"; ./prpf config list");
        assertThat(refused(2, "config", "schema", "ablate")).contains("ablate has no keys with defaults");
    }
}
