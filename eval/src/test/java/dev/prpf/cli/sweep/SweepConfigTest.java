package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.mpp.command.GateCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SweepConfigTest {
    private static final CommandLine COMMANDS = new CommandLine(new GateCommand());
    private static final Path CONFIGS =
            Path.of(System.getProperty("prpf.root", "..")).resolve("configs");
    private static final Path RUN = Path.of("/runs/s");
    private static final String YAML =
            """
            places: {data: "/my data", model: "{run}/seeds/members/seed=1"}
            options: {files: "--data {data}/x.json", all: "{options.files} --int8"}
            sweeps:
              seeds:
                title: "over seeds"
                axes: ["seed=1..2"]
                commands: ["gate train --config {configs}/gate.yaml {options.all} --run-dir {self}", "gate sweep --gate {self}"]
                metrics: {recall: "#/recall"}
                published: "PRPF Table 7"
              k:
                title: ""
                axes: ["--shortlist=1..2"]
                commands: ["eval run --gate {model} --out {self}/p.jsonl"]
                metrics: {all: "{model}/tables.json#/shortlist/k={--shortlist}/value"}
                published: null
            """;

    private static SweepConfig read(String yaml) {
        return StrictYaml.readText("s.yaml", yaml, SweepConfig.class, List.of());
    }

    private static SweepPlan planned(SweepConfig config, String name) {
        return Objects.requireNonNull(
                config.plans("s.yaml", RUN, Path.of("/c"), COMMANDS).get(name));
    }

    @Test
    void placesAndOptionsAreFilledAndEachSweepHasAFolder() {
        SweepPlan seeds = planned(read(YAML), "seeds");
        assertThat(seeds.directory()).isEqualTo(RUN.resolve("seeds"));
        assertThat(seeds.members().get(0).steps())
                .containsExactly(
                        List.of(
                                "gate",
                                "train",
                                "--config",
                                "/c/gate.yaml",
                                "--data",
                                "/my data/x.json",
                                "--int8",
                                "--run-dir",
                                "/runs/s/seeds/members/seed=1",
                                "--set",
                                "seed=1"),
                        List.of("gate", "sweep", "--gate", "/runs/s/seeds/members/seed=1"));
        assertThat(seeds.gather().title()).isEqualTo("over seeds");
        SweepPlan k = planned(read(YAML), "k");
        assertThat(k.filled(
                        Objects.requireNonNull(k.gather().metrics().get("all")),
                        k.members().get(1)))
                .isEqualTo("/runs/s/seeds/members/seed=1/tables.json#/shortlist/k=2/value");
    }

    @Test
    void everyDefectIsToldAtOnce() {
        String bad = YAML.replace("seed=1..2\"]", "seed=2..1\"]").replace("{model} --out", "{modle} --out");
        assertThatThrownBy(() -> read(bad).plans("s.yaml", RUN, Path.of("/c"), COMMANDS))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("s.yaml: sweeps.seeds: --sweep seed=2..1: range 2..1, must go up")
                .hasMessageContaining("s.yaml: sweeps.k: \"{modle}\": {modle} is not defined");
        String metric = YAML.replace("{model}/tables.json#", "{modle}/tables.json#");
        assertThatThrownBy(() -> read(metric).plans("s.yaml", RUN, Path.of("/c"), COMMANDS))
                .hasMessageContaining("sweeps.k: \"{modle}/tables.json#");
    }

    @Test
    void keysAreChecked() {
        assertThatThrownBy(() -> read(YAML.replace("PRPF Table 7", "PRPF Table 77")))
                .hasMessageContaining("published = PRPF Table 77 must be null or a paper's table");
        assertThatThrownBy(() -> read(YAML.replace("#/recall", "recall/x"))).hasMessageContaining("must be a.b of");
        assertThatThrownBy(() -> read(YAML.replace("  k:", "  \"k/x\":"))).hasMessageContaining("it names a folder");
        assertThatThrownBy(() -> read(YAML.replace("model:", "self:")))
                .hasMessageContaining("none of run, self, configs");
    }

    /** The paper's tables from one command: its seeds, its grid of thresholds, its K. */
    @ParameterizedTest
    @ValueSource(strings = {"sweeps/paper.yaml", "sweeps/quickstart.yaml"})
    void theShippedSweepsAreThePapers(String name) {
        SweepConfig config = StrictYaml.read(CONFIGS.resolve(name), SweepConfig.class, List.of());
        Map<String, SweepPlan> plans = config.plans(name, RUN, CONFIGS, COMMANDS);
        assertThat(plans.keySet()).containsExactly("seeds", "threshold", "shortlist", "switches");
        assertThat(planned(config, "seeds").axes())
                .containsExactly(new Axis("seed", List.of("42", "43", "44", "45", "46")));
        assertThat(planned(config, "threshold").axes().get(0).values())
                .startsWith("0.05")
                .endsWith("0.95");
        assertThat(planned(config, "shortlist").members()).hasSize(10);
        assertThat(planned(config, "switches").members()).hasSize(4);
        assertThat(plans.values())
                .allSatisfy(one -> assertThat(one.members()).allSatisfy(member -> assertThat(member.steps())
                        .noneMatch(step -> step.toString().contains("{"))));
    }
}
