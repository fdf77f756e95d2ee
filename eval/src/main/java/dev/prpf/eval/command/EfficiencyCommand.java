package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.eval.efficiency.EfficiencyReport;
import dev.prpf.eval.efficiency.EfficiencyTable;
import dev.prpf.eval.efficiency.EfficiencyTable.CostedRun;
import dev.prpf.eval.efficiency.MachineFigures;
import dev.prpf.eval.score.Provenance;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Implements the command {@code prpf eval efficiency}. */
@Command(
        name = "efficiency",
        description = {
            "Compare the costs of systems: operations, latency and memory of a sample (PRPF 4.4, B.6).",
            "The first row is the reference. Give each run an empty --store; stored encodings would count as free."
        },
        footer = {
            "",
            "Example (PRPF Table 10, rows from eval run with --gating and --compress on and off):",
            "  ./prpf eval efficiency --predictions single-stage=runs/single/predictions.jsonl \\",
            "      --predictions no-compression=runs/gate/predictions.jsonl \\",
            "      --predictions no-recommend=runs/compress/predictions.jsonl \\",
            "      --predictions full=runs/cascade/predictions.jsonl --out runs/efficiency"
        })
final class EfficiencyCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(EfficiencyCommand.class);

    @Option(
            names = "--predictions",
            required = true,
            paramLabel = "NAME=RUN",
            description = "A row and its run of eval run: the directory, or its file of predictions (repeatable).")
    private List<String> predictions = List.of();

    @Option(
            names = "--bench",
            paramLabel = "FILE",
            description = "Output of reasoner bench --json on this machine, for the share of its roofline.")
    private @Nullable Path bench;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write efficiency.html, efficiency.md and efficiency.json there.")
    private @Nullable Path out;

    @Mixin
    private JsonOption output;

    @Override
    public void run() {
        Map<String, Path> files = files();
        MachineFigures machine = bench == null ? null : MachineFigures.read(bench);
        List<CostedRun> runs = new ArrayList<>();
        files.forEach((name, file) -> runs.add(CostedRun.read(name, file)));
        EfficiencyReport report = new EfficiencyReport(EfficiencyTable.of(runs, machine), provenance(runs));
        if (out != null) {
            report.write(out);
            LOG.info("wrote efficiency.html, efficiency.md and efficiency.json to {}", out);
        }
        output.print(report.table(), () -> report.text().stripTrailing());
    }

    private Map<String, Path> files() {
        Map<String, Path> files = new LinkedHashMap<>();
        for (String row : predictions) {
            int sign = row.indexOf('=');
            if (sign < 1 || sign == row.length() - 1) {
                throw new UsageException("--predictions " + row + ": must be NAME=RUN");
            }
            String name = row.substring(0, sign);
            if (files.put(name, Path.of(row.substring(sign + 1))) != null) {
                throw new UsageException("--predictions names two rows " + name + "; give each row another name");
            }
        }
        return files;
    }

    private Map<String, String> provenance(List<CostedRun> runs) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", "prpf eval efficiency");
        runs.forEach(run -> facts.put(run.name(), Provenance.describe(run.file())));
        if (bench != null) {
            facts.put("bench", Provenance.describe(bench));
        }
        facts.put("revision", System.getProperty("prpf.revision", "unknown"));
        return facts;
    }
}
