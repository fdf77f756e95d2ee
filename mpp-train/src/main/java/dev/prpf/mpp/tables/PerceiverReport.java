package dev.prpf.mpp.tables;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.SvgFile;
import dev.prpf.base.report.Table;
import dev.prpf.base.report.TrainingCurves;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.run.SeedRun;
import dev.prpf.mpp.split.Split;
import dev.prpf.mpp.threshold.ThresholdCurve;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The perceiver's tables and plots: {@code report.html}, {@code tables.json} and one SVG file a plot ({@code roc.svg}, {@code pr.svg},
 * {@code threshold.svg}, {@code reliability.svg}, {@code top-k.svg}).
 */
public final class PerceiverReport {
    private final PerceiverTables tables;

    public PerceiverReport(PerceiverTables tables) {
        this.tables = tables;
    }

    /** Writes everything into a run directory. */
    public void write(Path directory) {
        drawings().forEach((name, drawing) -> SvgFile.write(directory.resolve(name + ".svg"), drawing));
        AtomicFiles.writeText(
                directory.resolve("tables.json"),
                JsonRecords.tree(tables.summary()).toPrettyString() + "\n");
        page(directory).writeHtml(file(directory));
    }

    /** Where a run directory's page lies, absolute. */
    public static Path file(Path directory) {
        return directory.resolve("report.html").toAbsolutePath().normalize();
    }

    /** For a terminal: Tables 6, 7 and 8. */
    public String text() {
        return String.join(
                "\n",
                confusion().toText(),
                seeds().toText(),
                topK().toText(),
                distribution().toText());
    }

    private Map<String, Block.Drawing> drawings() {
        Map<String, Block.Drawing> drawings = new LinkedHashMap<>();
        drawings.put("roc", PerceiverCurves.roc(tables));
        drawings.put("pr", PerceiverCurves.precisionRecall(tables));
        drawings.put("threshold", ThresholdCurve.drawing(tables.first().threshold()));
        drawings.put(
                "reliability",
                tables.reliability().drawing("of seed " + tables.first().seed()));
        drawings.put("top-k", PerceiverCurves.topK(tables.topK()));
        return drawings;
    }

    ReportPage page(Path directory) {
        EvaluatedRun first = tables.first();
        int n = first.evaluated().samples().size();
        ReportPage page = new ReportPage("The perceiver on " + n + " samples")
                .note(note(first))
                .keyFacts(keyFacts());
        page.heading("Over seeds").table(seeds());
        if (tables.runs().size() > 1) {
            page.paragraph(
                    "w/o slow and w/o fast are the same network trained without that channel, on the same splits and "
                            + "seeds, each with a threshold of its own by the same rule.");
        }
        page.table(eachSeed())
                .heading("Decisions")
                .table(confusion())
                .heading("The shortlist of scenarios")
                .table(topK())
                .paragraph("Over all samples silence is covered by any shortlist, as in the paper's table. Over"
                        + " triggering samples only answers that act count. The pool is what the reasoner would be"
                        + " given.");
        page.table(distribution());
        Map<String, Block.Drawing> drawings = drawings();
        page.drawings(List.copyOf(drawings.values()))
                .heading("Threshold")
                .paragraph(first.threshold().sentence());
        if (first.threshold().riskControl() == null) {
            page.paragraph(
                    "No guarantee was asked for: recall and specificity are what dev gave, and data to come may give"
                            + " less.");
        }
        page.heading("Calibration").table(calibration());
        List<Block.Drawing> training = TrainingCurves.drawing(
                "Loss of seed " + first.seed() + " over its steps",
                first.run().path(),
                List.of("train_loss", "dev_loss"));
        if (!training.isEmpty()) {
            page.heading("Training").drawings(training);
        }
        return page.heading("Provenance").provenance(provenance(directory));
    }

    private static String note(EvaluatedRun first) {
        String split = first.evaluated().split() == Split.TEST
                ? "Metrics are over the test split, which nothing was fitted or chosen on."
                : "Metrics are over the dev split, which chose the best epoch and the threshold: they flatter. Train"
                        + " with --test FILE for metrics on samples that chose nothing.";
        return split
                + " Intervals are 95 percent: Clopper-Pearson over samples (F1's carried over from TP / (TP + FP +"
                + " FN)); ± is the sample standard deviation over seeds.";
    }

    private List<Block.KeyFact> keyFacts() {
        return Stream.of(GateMetric.RECALL, GateMetric.SPECIFICITY, GateMetric.F1, GateMetric.INTENT_TOP5)
                .map(metric -> {
                    Share share = metric.of(tables.first());
                    return new Block.KeyFact(
                            metric.label() + " (higher is better)",
                            Shown.percent(share.value()),
                            Shown.interval(share.interval()) + ", n = " + share.n());
                })
                .toList();
    }

    /** PRPF Table 7, one row a variant. */
    private Table seeds() {
        List<Table.Row> rows = new ArrayList<>();
        tables.runs().forEach((variant, runs) -> {
            String size = Integer.toString(runs.size());
            Function<GateMetric, String> cell =
                    metric -> tables.over(variant, metric).shown(runs.size());
            rows.add(new Table.Row(row(variant.label(), size, cell), variant == SeedRun.Variant.FULL));
        });
        return new Table(
                "Mean ± standard deviation over seeds (PRPF Table 7), percent",
                row("network", "seeds", GateMetric::label),
                rows);
    }

    private Table eachSeed() {
        List<Table.Row> rows = new ArrayList<>();
        tables.runs().values().stream().flatMap(List::stream).forEach(run -> {
            String size = Integer.toString(run.counts().total());
            rows.add(Table.Row.of(row(run.variant().label() + ", seed " + run.seed(), size, metric -> metric.of(run)
                    .shown())));
        });
        return new Table(
                "Each run with 95 % intervals over samples, percent", row("run", "n", GateMetric::label), rows);
    }

    private static List<String> row(String name, String size, Function<GateMetric, String> cell) {
        return Stream.concat(
                        Stream.of(name, size), Stream.of(GateMetric.values()).map(cell))
                .toList();
    }

    /** PRPF Table 6. */
    private Table confusion() {
        ConfusionMatrix counts = tables.first().counts();
        int tp = counts.truePositives();
        int fn = counts.falseNegatives();
        int fp = counts.falsePositives();
        int tn = counts.trueNegatives();
        return new Table(
                "Decisions of seed " + tables.first().seed()
                        + " (PRPF Table 6), samples; right: recall and specificity, percent",
                List.of("", "predicted to act", "predicted silent", "total", "right [95 %]"),
                List.of(
                        Table.Row.of(cells("acts", tp, fn, tp)),
                        Table.Row.of(cells("silent", fp, tn, tn)),
                        Table.Row.of(cells("total", tp + fp, fn + tn, tp + tn))));
    }

    private static List<String> cells(String name, int acts, int silent, int right) {
        return List.of(
                name,
                Integer.toString(acts),
                Integer.toString(silent),
                Integer.toString(acts + silent),
                Share.of(right, acts + silent).shown());
    }

    /** PRPF Table 8. */
    private Table topK() {
        List<Table.Row> rows = new ArrayList<>();
        int whole = tables.first().pool().whole();
        for (TopKRecall recall : tables.topK()) {
            rows.add(new Table.Row(
                    List.of(
                            Integer.toString(recall.k()),
                            recall.all().shown(),
                            recall.triggering().shown(),
                            String.format(Locale.ROOT, "%.1f", recall.meanPool()),
                            Integer.toString(recall.largestPool())),
                    recall.k() == 5));
        }
        TopKRecall any = tables.topK().get(0);
        return new Table(
                "Recall of the K most probable scenarios of seed "
                        + tables.first().seed() + " (PRPF Table 8), percent; pool of " + whole + " functions",
                List.of(
                        "K",
                        "all samples, n = " + any.all().n(),
                        "triggering, n = " + any.triggering().n(),
                        "mean pool",
                        "largest pool"),
                rows);
    }

    private Table distribution() {
        List<DistributionPart> parts = tables.distribution();
        List<String> columns = new ArrayList<>(List.of(""));
        parts.forEach(part -> columns.add(part.label() + ", n = " + part.samples()));
        List<Table.Row> rows = new ArrayList<>();
        rows.add(row("recall", parts, DistributionPart::recall));
        rows.add(row("specificity", parts, DistributionPart::specificity));
        for (int i = 0; i < tables.topK().size(); i++) {
            int at = i;
            rows.add(row("top-" + tables.topK().get(at).k() + ", triggering", parts, part -> part.topK()
                    .get(at)
                    .recall()));
        }
        return new Table(
                "In and out of distribution, seed " + tables.first().seed()
                        + ": samples of the scenarios that training had, and the others, percent [95 %]",
                columns,
                rows);
    }

    private static Table.Row row(String name, List<DistributionPart> parts, Function<DistributionPart, Share> metric) {
        return Table.Row.of(Stream.concat(Stream.of(name), parts.stream().map(part -> metric.apply(part)
                        .shown()))
                .toList());
    }

    private Table calibration() {
        return new Table(
                "Expected calibration error of p_trigger, ten bins, percent; n = "
                        + tables.reliability().n(),
                List.of("p_trigger", "ECE"),
                List.of(
                        Table.Row.of(List.of(
                                "of the network",
                                Shown.percent(tables.uncalibrated().ece()))),
                        new Table.Row(
                                List.of(
                                        "as used",
                                        Shown.percent(tables.reliability().ece())),
                                true)));
    }

    private Map<String, String> provenance(Path directory) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("run directory", directory.toString());
        tables.runs()
                .forEach((variant, runs) -> facts.put(
                        "runs, " + variant.label(),
                        String.join(
                                ", ",
                                runs.stream()
                                        .map(run -> run.run().path().toString())
                                        .toList())));
        facts.put("revision", System.getProperty("prpf.revision", "unknown"));
        facts.put("java", System.getProperty("java.version"));
        return facts;
    }
}
