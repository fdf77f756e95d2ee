package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds comments, messages, option descriptions and pages to the project's rules for plain English, see {@link Prose}. */
class ProseTest {
    @ParameterizedTest
    @ValueSource(strings = {"data-prep", "mpp-train", "par-serve", "eval", "spark"})
    void sources_arePlain(String module) throws IOException {
        Prose prose = new Prose();
        prose.java(Path.of("..", module, "src", "main", "java"));
        assertThat(prose.offences()).isEmpty();
    }

    @Test
    void pages_arePlain() throws IOException {
        Prose prose = new Prose();
        prose.pages(Path.of("..", "docs"));
        assertThat(prose.offences()).isEmpty();
    }
}
