package dev.prpf.base.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CascadePartTest {
    @TempDir
    Path folder;

    private final CascadePart.Gate gate = new CascadePart.Gate();
    private final CascadePart.Reasoner reasoner = new CascadePart.Reasoner();

    @Test
    void cascade_isItsGateOrReasoner() throws IOException {
        Files.writeString(folder.resolve("cascade.json"), "{}");
        assertThat(gate.convert(folder.toString())).isEqualTo(folder.resolve("gate"));
        assertThat(reasoner.convert(folder.toString())).isEqualTo(folder.resolve("reasoner"));
    }

    @Test
    void trainingRun_isItsModel() throws IOException {
        Files.writeString(Files.createDirectory(folder.resolve("model")).resolve("config.json"), "{}");
        assertThat(reasoner.convert(folder.toString())).isEqualTo(folder.resolve("model"));
        assertThat(gate.convert(folder.toString())).isEqualTo(folder);
    }

    @Test
    void modelDirectoryAndMissingPath_stayUnchanged() throws IOException {
        Files.writeString(folder.resolve("config.json"), "{}");
        Files.writeString(Files.createDirectory(folder.resolve("model")).resolve("config.json"), "{}");
        assertThat(reasoner.convert(folder.toString())).isEqualTo(folder);
        assertThat(reasoner.convert("nowhere")).isEqualTo(Path.of("nowhere"));
    }
}
