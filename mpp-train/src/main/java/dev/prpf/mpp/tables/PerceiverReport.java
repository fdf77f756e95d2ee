package dev.prpf.mpp.tables;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.LineChart;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.SvgFile;
import dev.prpf.base.report.Table;
import dev.prpf.base.report.TrainingCurves;
import dev.prpf.mpp.gate.RocCurve;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.tables.PerceiverTables.EvaluatedRun;
import dev.prpf.mpp.tables.PerceiverTables.GateMetric;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.training.EnsembleRun;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.SeedPlan;
import dev.prpf.mpp.training.TrainedRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The perceiver's tables and plots: {@code report.html}, {@code tables.json} and one SVG file for each plot ({@code roc.svg}, {@code pr.svg},
 * {@code threshold.svg}, {@code reliability.svg}, {@code shortlist.svg}).
 */
public record PerceiverReport(PerceiverTables tables) {
    /**
     * Writes the threshold of each run of a plan below a directory, and the tables and plots of all runs.
     *
     * @param lengths see {@link PerceiverTables#of}, also for exceptions
     */
    public static PerceiverReport write(
            MppRun directory, List<TriggerThreshold> thresholds, @Nullable List<Integer> lengths) {
        PerceiverReport report = new PerceiverReport(PerceiverTables.of(directory, thresholds, lengths));
        List<TrainedRun> runs = directory.runs();
        for (int i = 0; i < thresholds.size(); i++) {
            runs.get(i).write(thresholds.get(i));
            ThresholdReport.write(runs.get(i).path(), thresholds.get(i));
        }
        report.write(directory.path());
        return report;
    }

    void write(Path directory) {
        drawings().forEach((name, drawing) -> SvgFile.write(directory.resolve(name + ".svg"), drawing));
        String json = JsonRecords.tree(tables).toPrettyString();
        AtomicFiles.writeText(directory.resolve("tables.json"), json + "\n");
        page(directory).writeHtml(file(directory));
    }

    /** Returns the absolute path of a run directory's page. */
    public static Path file(Path directory) {
        return directory.resolve("report.html").toAbsolutePath().normalize();
    }

    /** Formats Tables 6, 7 and 8 and the members of an ensemble for a terminal. */
    public String text() {
        Stream<Table> members = tables.first().run() instanceof EnsembleRun ensemble
                ? Stream.of(MemberTable.of(ensemble.files().readDescription()))
                : Stream.empty();
        return Stream.concat(Stream.of(confusion(), seeds(), shortlist(), distribution()), members)
                .map(Table::toText)
                .collect(Collectors.joining("\n"));
    }

    private long seed() {
        return tables.first().seed();
    }

    private Map<String, Block.Drawing> drawings() {
        Map<String, Block.Drawing> drawings = new LinkedHashMap<>();
        drawings.put("roc", PerceiverCurves.roc(tables));
        drawings.put("pr", PerceiverCurves.precisionRecall(tables));
        drawings.put("threshold", ThresholdReport.drawing(tables.first().threshold()));
        drawings.put("reliability", tables.reliability().drawing("of seed " + seed()));
        drawings.put("shortlist", PerceiverCurves.shortlist(tables.shortlist()));
        return drawings;
    }

    ReportPage page(Path directory) {
        EvaluatedRun first = tables.first();
        ReportPage page = new ReportPage(
                        "The perceiver on " + first.evaluated().samples().size() + " samples")
                .note(note(first))
                .keyFacts(keyFacts())
                .heading("Over seeds")
                .table(seeds());
        if (tables.runs().size() > 1) {
            page.paragraph(
                    "w/o slow and w/o fast are the same network trained without that channel, on the same splits and"
                            + " seeds, each with a threshold of its own by the same rule.");
        }
        page.table(eachSeed())
                .heading("Decisions")
                .table(confusion())
                .heading("The shortlist of scenarios")
                .table(shortlist())
                .paragraph("Over all samples silence is covered by any shortlist, as in the paper's table. Over"
                        + " triggering samples only answers that act count. The pool is the reasoner's"
                        + " candidate pool.")
                .table(distribution())
                .drawings(List.copyOf(drawings().values()))
                .heading("Threshold")
                .paragraph(ThresholdReport.sentence(first.threshold()));
        if (first.threshold().riskControl() == null) {
            page.paragraph(
                    "Risk is not controlled: recall and specificity are measured on dev and may be lower on new data.");
        }
        if (first.run() instanceof EnsembleRun ensemble) {
            page.heading("Members").table(MemberTable.of(ensemble.files().readDescription()));
            page.paragraph(MemberTable.NOTE);
        }
        page.heading("Calibration").table(calibration());
        String caption = "Loss of seed " + seed() + " over its steps";
        List<Block.Drawing> training =
                TrainingCurves.drawing(caption, first.run().path(), List.of("train_loss", "dev_loss"));
        if (!training.isEmpty()) {
            page.heading("Training").drawings(training);
        }
        return page.heading("Provenance").provenance(provenance(directory));
    }

    private static String note(EvaluatedRun first) {
        String split = first.evaluated().split() == Split.TEST
                ? "Metrics are over the test split; nothing was fitted or chosen on it."
                : "Metrics are over the dev split, which chose "
                        + (first.run() instanceof EnsembleRun ? "" : "the best epoch and ")
                        + "the threshold, so they are too good. Train"
                        + " with --test FILE for metrics on unseen samples.";
        return split
                + " Intervals are 95 percent: Clopper-Pearson over samples (F1's transformed from TP / (TP + FP + FN));"
                + " ± is the sample standard deviation over seeds.";
    }

    private List<Block.KeyFact> keyFacts() {
        return Stream.of(GateMetric.RECALL, GateMetric.SPECIFICITY, GateMetric.F1, GateMetric.INTENT_TOP5)
                .map(metric -> {
                    Share share = metric.of(tables.first());
                    String label = metric.label() + " (higher is better)";
                    String detail = Shown.interval(share.interval()) + ", n = " + share.n();
                    return new Block.KeyFact(label, Shown.percent(share.value()), detail);
                })
                .toList();
    }

    /** Returns the table like PRPF Table 7, with a row for each variant. */
    private Table seeds() {
        Table.Builder table = Table.of("network", "seeds", labels());
        tables.variants().forEach(variant -> {
            int seeds = variant.seeds().size();
            List<String> metrics = variant.figures().values().stream()
                    .map(mean -> Shown.meanStd(mean, seeds))
                    .toList();
            if (variant.name().equals(SeedPlan.Variant.FULL.label())) {
                table.emphasised(variant.name(), seeds, metrics);
            } else {
                table.row(variant.name(), seeds, metrics);
            }
        });
        boolean one =
                tables.variants().stream().allMatch(variant -> variant.seeds().size() == 1);
        return table.captioned(
                (one ? "One seed" : "Mean ± standard deviation over seeds") + " (PRPF Table 7), percent");
    }

    private Table eachSeed() {
        Table.Builder table = Table.of("run", "n", labels());
        tables.runs().values().stream()
                .flatMap(List::stream)
                .forEach(run -> table.row(
                        run.variant().label() + ", seed " + run.seed(),
                        run.counts().total(),
                        Stream.of(GateMetric.values())
                                .map(metric -> metric.of(run).shown())
                                .toList()));
        return table.captioned("Each run with 95 % intervals over samples, percent");
    }

    private static List<String> labels() {
        return Stream.of(GateMetric.values()).map(GateMetric::label).toList();
    }

    /** Returns the table like PRPF Table 6. */
    private Table confusion() {
        PerceiverTables.Confusion of = tables.confusion();
        return Table.of("", "predicted to act", "predicted silent", "total", "right [95 %]")
                .row("acts", decided(of.tp(), of.fn(), of.tp()))
                .row("silent", decided(of.fp(), of.tn(), of.tn()))
                .row("total", decided(of.tp() + of.fp(), of.fn() + of.tn(), of.tp() + of.tn()))
                .captioned("Decisions of seed " + seed()
                        + " (PRPF Table 6), samples; right: recall and specificity, percent");
    }

    private static List<Object> decided(int acts, int silent, int right) {
        return List.of(
                acts, silent, acts + silent, Share.of(right, acts + silent).shown());
    }

    /** Returns the table like PRPF Table 8. */
    private Table shortlist() {
        TopKRecall any = tables.shortlist().get(0);
        String all = "all samples, n = " + any.all().n();
        String triggering = "triggering, n = " + any.triggering().n();
        Table.Builder table = Table.of("K", all, triggering, "mean pool", "largest pool");
        tables.shortlist().forEach(recall -> {
            String mean = String.format(Locale.ROOT, "%.1f", recall.meanPool());
            List<Object> cells = List.of(
                    recall.k(), recall.all().shown(), recall.triggering().shown(), mean, recall.largestPool());
            if (recall.k() == 5) {
                table.emphasised(cells);
            } else {
                table.row(cells);
            }
        });
        return table.captioned("Recall of the K most probable scenarios of seed " + seed()
                + " (PRPF Table 8), percent; pool of " + tables.first().pool().whole() + " functions");
    }

    private Table distribution() {
        List<PerceiverTables.DistributionPart> parts = tables.distribution();
        Table.Builder table = Table.of(
                "",
                parts.stream()
                        .map(part -> (part.inDistribution() ? "scenarios of training" : "other scenarios") + ", n = "
                                + part.samples())
                        .toList());
        table.row("recall", shares(parts, PerceiverTables.DistributionPart::recall));
        table.row("specificity", shares(parts, PerceiverTables.DistributionPart::specificity));
        for (int i = 0; i < tables.shortlist().size(); i++) {
            int at = i;
            table.row(
                    "top-" + tables.shortlist().get(at).k() + ", triggering",
                    shares(parts, part -> part.shortlist().get(at).recall()));
        }
        return table.captioned("In and out of distribution, seed " + seed()
                + ": samples with a trained scenario, and the others, percent [95 %]");
    }

    private static List<String> shares(
            List<PerceiverTables.DistributionPart> parts, Function<PerceiverTables.DistributionPart, Share> metric) {
        return parts.stream().map(metric).map(Share::shown).toList();
    }

    private Table calibration() {
        return Table.of("p_trigger", "ECE")
                .row("before calibration", tables.eceUncalibrated())
                .emphasised("as used", tables.reliability().ece())
                .captioned("Expected calibration error of p_trigger, ten bins, percent; n = " + tables.n());
    }

    private Map<String, String> provenance(Path directory) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("run directory", directory.toString());
        tables.runs().forEach((variant, runs) -> {
            Stream<String> paths = runs.stream().map(run -> run.run().path().toString());
            facts.put("runs, " + variant.label(), paths.collect(Collectors.joining(", ")));
        });
        facts.put("revision", System.getProperty("prpf.revision", "unknown"));
        facts.put("java", System.getProperty("java.version"));
        return facts;
    }

    /** The plots of {@link PerceiverTables}: one line for each variant, of its first seed. */
    static final class PerceiverCurves {
        private PerceiverCurves() {}

        static Block.Drawing roc(PerceiverTables tables) {
            List<LineChart.Line> lines = lines(tables, "AUC", RocCurve::points, RocCurve::area);
            lines.add(new LineChart.Line("chance", List.of(new LineChart.Point(0, 0), new LineChart.Point(100, 100))));
            String what = "ROC of the trigger head: recall over false-trigger rate, percent";
            return drawing(tables, what, "false-trigger rate", lines);
        }

        static Block.Drawing precisionRecall(PerceiverTables tables) {
            List<LineChart.Line> lines = lines(tables, "AP", RocCurve::precisionRecall, RocCurve::averagePrecision);
            String what = "Precision over recall of the trigger head, percent; AP: average precision";
            return drawing(tables, what, "recall", lines);
        }

        static Block.Drawing shortlist(List<TopKRecall> recalls) {
            String caption = "Recall of the K most probable scenarios, percent (PRPF Table 8)";
            List<LineChart.Line> lines = List.of(
                    line("all samples", recalls, TopKRecall::all),
                    line("triggering samples", recalls, TopKRecall::triggering));
            return new Block.Drawing(
                    caption, LineChart.svg(caption, new LineChart.Axes("K", null, 100.0, null), lines));
        }

        private static LineChart.Line line(String name, List<TopKRecall> recalls, Function<TopKRecall, Share> share) {
            return LineChart.Line.of(
                    name,
                    recalls,
                    TopKRecall::k,
                    recall -> Objects.requireNonNullElse(share.apply(recall).value(), Double.NaN));
        }

        private static List<LineChart.Line> lines(
                PerceiverTables tables,
                String areaName,
                BiFunction<double[], boolean[], List<LineChart.Point>> curve,
                BiFunction<double[], boolean[], @Nullable Double> area) {
            List<LineChart.Line> lines = new ArrayList<>();
            tables.runs().forEach((variant, runs) -> {
                double[] scores = runs.get(0).evaluated().pTrigger();
                boolean[] acts = runs.get(0).evaluated().acts();
                String name =
                        String.format(Locale.ROOT, "%s, %s %.3f", variant.label(), areaName, area.apply(scores, acts));
                lines.add(new LineChart.Line(name, curve.apply(scores, acts)));
            });
            return lines;
        }

        private static Block.Drawing drawing(
                PerceiverTables tables, String what, String x, List<LineChart.Line> lines) {
            String caption = what + "; seed " + tables.first().seed() + ", n = "
                    + tables.first().evaluated().samples().size();
            return new Block.Drawing(caption, LineChart.svg(caption, new LineChart.Axes(x, 0.0, 100.0, null), lines));
        }
    }
}
