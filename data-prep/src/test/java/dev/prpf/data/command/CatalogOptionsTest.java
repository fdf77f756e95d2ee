package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogOptionsTest {
    private static final FunctionPool POOL =
            new FunctionPool(List.of(new FunctionSpec("light", "", List.of(), List.of(), "Home")));

    @TempDir
    private Path gate;

    private final CatalogOptions options = new CatalogOptions();

    @BeforeEach
    void train() {
        CatalogFiles.in(gate).write(POOL, ScenarioCatalogReader.of(POOL, null));
    }

    @Test
    void functionsAndScenariosComeFromTheGate() {
        options.ofGate(gate);
        assertThat(options.functions().names()).containsExactly("light");
        assertThat(options.functions().functions())
                .extracting(FunctionSpec::scenario)
                .containsExactly("Home");
        assertThat(options.catalog().names()).containsExactly("Home");
    }

    @Test
    void theGateOfACascadeHasTheFunctionsOfItsFolder() throws Exception {
        options.ofGate(Files.createDirectory(gate.resolve("gate")));
        assertThat(options.functions().names()).containsExactly("light");
    }

    @Test
    void anotherCopyOfTheSameFunctionsIsAccepted() {
        options.pool = gate.resolve("copy.json");
        FunctionPoolFile.write(POOL, options.pool);
        options.ofGate(gate);
        assertThat(options.place()).isEqualTo(options.pool.toString()).endsWith("copy.json");
    }

    @Test
    void otherFunctionsAreRefused() {
        options.pool = gate.resolve("other.json");
        FunctionPoolFile.write(FunctionPoolFile.shipped(), options.pool);
        assertThatThrownBy(() -> options.ofGate(gate))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage("--pool " + options.pool + ": differs from " + gate.resolve("functions.json")
                        + ", with which the gate was trained; leave --pool out, or train a gate with this file");
    }

    @Test
    void withoutAGateOrItsFilesNothingChanges() throws Exception {
        options.ofGate(null);
        options.ofGate(Files.createDirectories(gate.resolve("runs/old")));
        assertThat(options.pool).isNull();
        assertThat(options.scenarios).isNull();
    }
}
