package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.cli.CommandProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteCommandTest {
    @TempDir
    Path folder;

    @Test
    void absentDataLeaveWith69AndNameTheirSource() {
        CommandProcess.Result byProperty = CommandProcess.in(folder)
                .with("prpf.testdata", folder.resolve("absent").toString())
                .run("eval", "suite", "proactivebench", "--json");

        assertThat(byProperty.exitCode()).isEqualTo(69);
        assertThat(byProperty.stdout()).isEmpty();
        assertThat(byProperty.stderr())
                .contains(folder.resolve("absent").resolve("gate").toString())
                .contains("thunlp/ProactiveAgent at commit 86383616")
                .contains("--data");
    }

    @Test
    void anUnknownSuiteIsAUsageError() {
        CommandProcess.Result result = CommandProcess.in(folder).run("eval", "suite", "nosuch");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr()).contains("no suite 'nosuch'; there are proactivebench, contextagent, knowu");
    }
}
