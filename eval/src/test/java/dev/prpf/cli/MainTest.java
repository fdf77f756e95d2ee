package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MainTest {
    @Test
    void whatCannotBeLoadedIsToldInOneLine() {
        LinkageError error = new ExceptionInInitializerError(new UnsatisfiedLinkError("libx.so:\n no such file"));
        assertThat(Main.unloadable(error)).contains("libx.so: no such file").doesNotContain("\n");
    }
}
