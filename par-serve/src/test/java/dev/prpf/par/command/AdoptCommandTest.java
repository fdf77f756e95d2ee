package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.prompt.PromptProvenance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdoptCommandTest {
    @TempDir
    private static Path shared;

    private static SmallWorld world;

    @TempDir
    private Path directory;

    @BeforeAll
    static void make() {
        world = SmallWorld.in(shared);
    }

    private Path out() {
        return directory.resolve("models/adopted");
    }

    private String adopt(int status, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "adopt",
                "--config",
                SmallWorld.CONFIGS.resolve("reasoner-adopt.yaml").toString(),
                "--reasoner",
                world.model().toString(),
                "--out",
                out().toString()));
        arguments.addAll(List.of(more));
        return SmallWorld.run(status, arguments);
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    @Test
    void runAgainItGivesTheSame() throws IOException {
        String first = adopt(0);
        List<String> names = names(out());
        assertThat(names).contains(PromptProvenance.FILE, "config.json", "model.safetensors", "tokenizer.json");
        assertThat(out().resolve("config.json")).isSymbolicLink();
        assertThat(world.model().resolve(PromptProvenance.FILE)).doesNotExist();
        PromptProvenance written = PromptProvenance.read(out());

        assertThat(adopt(0)).isEqualTo(first);
        assertThat(names(out())).isEqualTo(names);
        assertThat(PromptProvenance.read(out())).isEqualTo(written);
        assertThat(names(directory.resolve("models")))
                .as("no partial folder is left")
                .containsExactly("adopted");
    }

    @Test
    void aModelOfTextThatIsToSeeIsRefused() {
        assertThat(adopt(78, "--set", "prompt.screenshots=pixels"))
                .contains("prompt.screenshots: " + world.model(), "is a text model");
        assertThat(adopt(78, "--set", "prompt.max-visual-tokens=64"))
                .contains("max-visual-tokens = 64 must be null where screenshots is ocr");
        assertThat(out()).doesNotExist();
    }

    @Test
    void whatAKilledOneLeftIsReplaced() throws IOException {
        Path left = Files.createDirectories(directory.resolve("models/.adopted.adopting"));
        Files.createSymbolicLink(left.resolve("config.json"), directory.resolve("gone"));
        adopt(0);
        assertThat(PromptProvenance.read(out())).isNotNull();
        assertThat(left).doesNotExist();
    }

    @Test
    void aFolderOfSomethingElseIsRefused() throws IOException {
        Files.createDirectories(out());
        assertThat(adopt(2)).contains("--out " + out() + " exists and is no folder of links to the files of");
        assertThat(names(out())).isEmpty();
        Files.delete(out());

        adopt(0);
        Files.delete(out().resolve("config.json"));
        Files.createSymbolicLink(out().resolve("config.json"), directory.resolve("other.json"));
        assertThat(adopt(2)).contains("name a new folder");
    }

    @Test
    void aFolderForOtherPromptsIsRefused() {
        adopt(0);
        assertThat(adopt(78, "--set", "prompt.wording=brief", "--set", "prompt.pool=names"))
                .contains(out().resolve(PromptProvenance.FILE) + ": prompt hash = ");
    }

    @Test
    void aModelThatIsRegisteredAlreadyKeepsItsRecord() throws IOException {
        Path model = directory.resolve("own");
        SmallWorld.run(
                0,
                List.of(
                        "adopt",
                        "--config",
                        SmallWorld.CONFIGS.resolve("reasoner-adopt.yaml").toString(),
                        "--reasoner",
                        world.model().toString(),
                        "--out",
                        model.toString()));
        byte[] before = Files.readAllBytes(model.resolve(PromptProvenance.FILE));
        SmallWorld.run(
                0,
                List.of(
                        "adopt",
                        "--config",
                        SmallWorld.CONFIGS.resolve("reasoner-adopt.yaml").toString(),
                        "--reasoner",
                        model.toString(),
                        "--out",
                        out().toString()));
        assertThat(out().resolve(PromptProvenance.FILE))
                .as("a file of its own, not a link")
                .isRegularFile()
                .satisfies(file -> assertThat(Files.isSymbolicLink(file)).isFalse());
        assertThat(model.resolve(PromptProvenance.FILE)).hasBinaryContent(before);
    }
}
