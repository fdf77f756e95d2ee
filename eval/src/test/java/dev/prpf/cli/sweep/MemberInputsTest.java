package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.eval.command.EvalCommand;
import dev.prpf.mpp.command.GateCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class MemberInputsTest {
    private static final Path CONFIGS =
            Path.of(System.getProperty("prpf.root", "..")).resolve("configs");

    @Command(subcommands = {EvalCommand.class, GateCommand.class})
    private static final class Commands {}

    @TempDir
    private Path folder;

    /** Returns the missing files of a configuration in which the second sweep reads an output of the first. */
    private Set<String> missing(String... only) {
        String yaml =
                """
                places: {data: "%s", model: "{run}/seeds/members/seed=1"}
                options: {}
                sweeps:
                  seeds:
                    title: ""
                    axes: ["seed=1..2"]
                    commands:
                      - gate train --config {configs}/gate.yaml --data {data}/x.json --images {data} --run-dir {self}
                      - gate sweep --gate {self}
                    metrics: {}
                    published: null
                  k:
                    title: ""
                    axes: ["--shortlist=1..2"]
                    commands: ["eval run --data {data}/x.json --gate {model} --reasoner {data}/par --out {self}/p.jsonl"]
                    metrics: {}
                    published: null
                """
                        .formatted(folder);
        CommandLine tree = new CommandLine(new Commands()).setCaseInsensitiveEnumValuesAllowed(true);
        Map<String, SweepPlan> plans = StrictYaml.readText("s.yaml", yaml, SweepConfig.class, List.of())
                .plans("s.yaml", folder.resolve("run"), CONFIGS, tree);
        Map<String, SweepPlan> chosen = new LinkedHashMap<>(plans);
        chosen.keySet().retainAll(List.of(only));
        return MemberInputs.missing(tree, plans, chosen);
    }

    @Test
    void inputsThatNothingMakes_areNamedOnceBeforeAnyMemberRuns() {
        assertThat(missing("seeds", "k"))
                .containsExactly(
                        "sweep seeds: its members need --data " + folder
                                + "/x.json, which does not exist; name an existing path",
                        "sweep k: its members need --data " + folder
                                + "/x.json, which does not exist; name an existing path",
                        "sweep k: its members need --reasoner " + folder
                                + "/par, which does not exist; name an existing path");
    }

    @Test
    void whatAnEarlierSweepMakes_isMissingWhereThatSweepDoesNotRun() throws IOException {
        Files.createFile(folder.resolve("x.json"));
        Files.createDirectory(folder.resolve("par"));
        assertThat(missing("seeds", "k")).isEmpty();
        assertThat(missing("k"))
                .containsExactly("sweep k: its members need --gate " + folder
                        + "/run/seeds/members/seed=1, which does not exist; the sweep seeds makes it: run seeds before,"
                        + " or set its path to another one");
        Files.createDirectories(folder.resolve("run/seeds/members/seed=1"));
        assertThat(missing("k")).as("made before").isEmpty();
    }
}
