package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
    private static final Suite SUITE = KnowU.SUITE;

    @TempDir
    Path folder;

    private String before;

    @BeforeEach
    void withoutProperty() {
        before = System.getProperty(DataFolder.PROPERTY, "");
        System.clearProperty(DataFolder.PROPERTY);
    }

    @AfterEach
    void restore() {
        System.setProperty(DataFolder.PROPERTY, before);
    }

    @Test
    void optionPrecedesVariableAndVariablePrecedesProperty() {
        System.setProperty(DataFolder.PROPERTY, "c");
        Map<String, String> environment = Map.of(DataFolder.VARIABLE, "b");

        assertThat(DataFolder.of(SUITE, Path.of("a"), environment).root()).isEqualTo(Path.of("a"));
        assertThat(DataFolder.of(SUITE, null, environment).root()).isEqualTo(Path.of("b"));
        assertThat(DataFolder.of(SUITE, null, Map.of()).root()).isEqualTo(Path.of("c"));
        assertThat(DataFolder.of(SUITE, null, Map.of(DataFolder.VARIABLE, "")).root())
                .isEqualTo(Path.of("c"));
    }

    @Test
    void withoutAnyTheErrorNamesSourceCommandAndTheThreeWays() {
        assertThatThrownBy(() -> DataFolder.of(SUITE, null, Map.of()))
                .isInstanceOf(UnavailableException.class)
                .hasMessage(
                        "suite knowu: no folder of its data is named; get the data of github.com/ZJU-REAL/KnowU-Bench at"
                                + " commit 0dd79895 with `git clone https://github.com/ZJU-REAL/KnowU-Bench && git -C KnowU-Bench"
                                + " checkout 0dd79895` and name the folder with --data (or with the environment variable"
                                + " PRPF_TESTDATA, or the system property prpf.testdata)");
    }

    @Test
    void theSuitesOwnFolderIsTakenWhereOneHoldsSeveral() throws IOException {
        Files.createDirectories(folder.resolve("gate/knowu"));
        assertThat(DataFolder.of(SUITE, folder, Map.of()).root()).isEqualTo(folder.resolve("gate/knowu"));
        assertThat(DataFolder.of(ContextAgent.SUITE, folder, Map.of()).root()).isEqualTo(folder);
    }

    @Test
    void aNameIsFoundWhereverARepositoryKeepsIt() throws IOException {
        Files.createDirectories(folder.resolve("a/b/user_logs"));
        Files.createDirectories(folder.resolve("z/user_logs"));
        DataFolder data = DataFolder.of(SUITE, folder, Map.of());

        assertThat(data.find("user_logs")).isEqualTo(folder.resolve("z/user_logs"));
        assertThat(data.find("none", "b")).isEqualTo(folder.resolve("a/b"));
        assertThatThrownBy(() -> data.find("x", "y"))
                .isInstanceOf(UnavailableException.class)
                .hasMessageStartingWith("x or y is missing below " + folder + "; get the data of github.com/ZJU-REAL");
        assertThatThrownBy(() -> data.file(folder.resolve("log.json")))
                .hasMessageStartingWith(folder.resolve("log.json") + " is missing; get");
    }
}
