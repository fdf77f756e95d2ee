package dev.prpf.eval.report;

import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.report.TrainingCurves;
import dev.prpf.eval.score.ErrorAnalysis;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The report of a whole pipeline: systems beside each other, gates beside each other, how training went, samples to look at, how long
 * it took, what it cannot do. Pieces that were not given are left out.
 */
public final class PipelineReport {
    private static final String PERCEIVER = "mpp";

    private final String title;
    private final String remark;
    private final Map<String, Scores> systems = new LinkedHashMap<>();
    private final Map<String, GateFigures> gates = new LinkedHashMap<>();
    private final Map<String, Double> seconds = new LinkedHashMap<>();
    private final Map<String, String> provenance = new LinkedHashMap<>();
    private final List<Block.Drawing> training = new ArrayList<>();
    private final List<Block.Exhibit> exhibits = new ArrayList<>();
    private final List<String> limits = new ArrayList<>();

    /**
     * A gate on the test split.
     *
     * @param recall share of the samples that want intervention it lets through, in percent
     * @param specificity share of the others it stops, in percent
     */
    public record GateFigures(double recall, double specificity) {}

    /**
     * @param title of the page
     * @param remark what a reader must know before any figure, such as that the data are synthetic
     */
    public PipelineReport(String title, String remark) {
        this.title = title;
        this.remark = remark;
    }

    /** Adds a system; the first one is the one the report is about. */
    public PipelineReport system(String name, Scores scores) {
        systems.put(name, scores);
        return this;
    }

    /** Adds a gate; the perceiver is called "mpp". */
    public PipelineReport gate(String name, GateFigures figures) {
        gates.put(name, figures);
        return this;
    }

    /** Adds a stage's wall-clock time. */
    public PipelineReport stage(String name, double wallSeconds) {
        seconds.put(name, wallSeconds);
        return this;
    }

    /** Adds curves, such as {@link TrainingCurves} and {@link dev.prpf.mpp.threshold.ThresholdCurve} draw. */
    public PipelineReport training(List<Block.Drawing> drawings) {
        training.addAll(drawings);
        return this;
    }

    /** Adds samples, such as {@link SampleGallery} shows. */
    public PipelineReport exhibits(List<Block.Exhibit> samples) {
        exhibits.addAll(samples);
        return this;
    }

    /** Adds a limit that the figures do not say by themselves. */
    public PipelineReport limit(String sentence) {
        limits.add(sentence);
        return this;
    }

    public PipelineReport provenance(String label, String value) {
        provenance.put(label, value);
        return this;
    }

    /** The systems' table, for a terminal. */
    public String text() {
        return ScoreTables.systems(systems).toText();
    }

    /**
     * The page.
     *
     * @throws IllegalStateException if no system was added
     */
    public ReportPage page() {
        Scores main = systems.values().stream()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a pipeline report is about a system, none was added"));
        ReportPage page = new ReportPage(title)
                .note(remark)
                .keyFacts(ScoreReport.keyFacts(main))
                .heading("Systems")
                .table(ScoreTables.systems(systems))
                .drawings(List.of(ScoreCharts.systems(systems)));
        gates(page);
        page.heading("What it cannot do").bullets(allLimits(main));
        breakdown(page, main);
        if (!training.isEmpty()) {
            page.heading("Training").drawings(training);
        }
        if (!exhibits.isEmpty()) {
            page.heading("Samples").gallery(exhibits);
        }
        if (!seconds.isEmpty()) {
            page.heading("Time").table(timings());
        }
        return page.heading("Provenance").provenance(provenance);
    }

    private List<String> allLimits(Scores main) {
        List<String> all = new ArrayList<>(Limits.of(main));
        GateFigures own = gates.get(PERCEIVER);
        gates.forEach((name, other) -> {
            if (own != null
                    && !name.equals(PERCEIVER)
                    && other.recall() >= own.recall()
                    && other.specificity() >= own.specificity()) {
                all.add("The gate " + name
                        + " does as well as the perceiver or better on both figures: on these data the perceiver "
                        + "earns nothing by itself.");
            }
        });
        all.addAll(limits);
        return all;
    }

    private void gates(ReportPage page) {
        if (gates.isEmpty()) {
            return;
        }
        List<Table.Row> rows = new ArrayList<>();
        gates.forEach((name, figures) -> rows.add(new Table.Row(
                List.of(name, Shown.percent(figures.recall()), Shown.percent(figures.specificity())), rows.isEmpty())));
        page.heading("Gates")
                .table(new Table(
                        "Who speaks at all: gates on the test split, percent",
                        List.of("gate", "recall ↑", "specificity ↑"),
                        rows));
    }

    private static void breakdown(ReportPage page, Scores main) {
        page.heading("By modality and difficulty")
                .drawings(List.of(ScoreCharts.byModality(main), ScoreCharts.byDifficulty(main)))
                .table(ScoreTables.breakdown(main));
        if (!main.byScenario().isEmpty()) {
            page.table(ScoreTables.scenarios(main));
        }
        ErrorAnalysis analysis = ErrorAnalysis.of(main.samples());
        page.heading("Where the errors are")
                .drawings(List.of(ScoreCharts.outcomes(analysis)))
                .table(ScoreTables.categories(analysis))
                .table(ScoreTables.patterns(analysis))
                .table(ScoreTables.paths(analysis));
    }

    private Table timings() {
        double total =
                seconds.values().stream().mapToDouble(Double::doubleValue).sum();
        List<Table.Row> rows = new ArrayList<>();
        seconds.forEach((stage, wall) -> rows.add(Table.Row.of(List.of(stage, decimal(wall), share(wall, total)))));
        rows.add(new Table.Row(List.of("all", decimal(total), share(total, total)), true));
        return new Table("Wall-clock time of each stage on this machine", List.of("stage", "seconds", "%"), rows);
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String share(double part, double whole) {
        return whole > 0 ? decimal(100 * part / whole) : Shown.NONE;
    }
}
