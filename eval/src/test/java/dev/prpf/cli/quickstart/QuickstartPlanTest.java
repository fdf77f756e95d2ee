package dev.prpf.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.config.StrictYaml;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuickstartPlanTest {
    private static final Path CONFIGS = Path.of("../configs");

    @Test
    void folderNamesMayHoldBracesAndBlanks() {
        QuickstartConfig config =
                StrictYaml.read(CONFIGS.resolve("quickstart.yaml"), QuickstartConfig.class, List.of());
        QuickstartFiles files = new QuickstartFiles(Path.of("runs/{gate} {a}"), CONFIGS);
        assertThat(QuickstartPlan.stages(files, config))
                .filteredOn(stage -> stage.name().equals("sft"))
                .singleElement()
                .satisfies(sft -> assertThat(sft.commands().get(0))
                        .containsSubsequence("--store", "runs/{gate} {a}/store", "--gate", "runs/{gate} {a}/gate"));
    }
}
