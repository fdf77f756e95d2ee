package dev.prpf.eval.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.eval.score.ErrorAnalysis;
import dev.prpf.eval.score.Figure;
import dev.prpf.eval.score.Scores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report of {@code eval score}: {@code report.json}, {@code report.md}, {@code report.html}. */
public final class ScoreReport {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Scores scores;
    private final Map<String, String> provenance;

    /**
     * @param scores what to report
     * @param provenance label to value: files with their hashes, versions
     */
    public ScoreReport(Scores scores, Map<String, String> provenance) {
        this.scores = scores;
        this.provenance = new LinkedHashMap<>(provenance);
    }

    public Scores scores() {
        return scores;
    }

    /** For a terminal. */
    public String text() {
        ErrorAnalysis analysis = ErrorAnalysis.of(scores.samples());
        List<Table> tables = new ArrayList<>(List.of(ScoreTables.headline(scores), ScoreTables.breakdown(scores)));
        if (!scores.byScenario().isEmpty()) {
            tables.add(ScoreTables.scenarios(scores));
        }
        tables.add(ScoreTables.categories(analysis));
        return String.join("\n", tables.stream().map(Table::toText).toList());
    }

    /** The page. */
    public ReportPage page() {
        ErrorAnalysis analysis = ErrorAnalysis.of(scores.samples());
        ReportPage page = new ReportPage(
                        "Scores of " + scores.overall().metrics().n() + " samples")
                .keyFacts(keyFacts(scores))
                .table(ScoreTables.headline(scores))
                .note(readingNote())
                .heading("By modality and difficulty")
                .drawings(List.of(ScoreCharts.byModality(scores), ScoreCharts.byDifficulty(scores)))
                .table(ScoreTables.breakdown(scores));
        if (!scores.byScenario().isEmpty()) {
            page.heading("By scenario").table(ScoreTables.scenarios(scores));
        }
        return page.heading("Where the errors are")
                .drawings(List.of(ScoreCharts.outcomes(analysis)))
                .table(ScoreTables.outcomes(analysis))
                .table(ScoreTables.categories(analysis))
                .table(ScoreTables.patterns(analysis))
                .table(ScoreTables.paths(analysis))
                .heading("Provenance")
                .provenance(provenance);
    }

    /** The figures to see first. */
    static List<Block.KeyFact> keyFacts(Scores scores) {
        return List.of(Figure.SR, Figure.TYPE_ACC, Figure.FTR, Figure.F1).stream()
                .map(figure -> new Block.KeyFact(
                        figure.label() + (figure.higherIsBetter() ? " (higher is better)" : " (lower is better)"),
                        ScoreTables.shown(scores.overall(), figure),
                        Shown.interval(scores.overall().intervals().get(figure)) + ", n = "
                                + ScoreTables.denominator(scores.overall().metrics(), figure)))
                .toList();
    }

    private String readingNote() {
        String judge = scores.judge().equals("exact")
                ? "SR here wants equal parameters; the paper's judge, a language model, accepts paraphrases too, so"
                        + " this SR is a lower bound and does not stand beside published ones. "
                : "";
        return judge
                + "FTR is over samples whose every answer is silence; FTR matched is over samples whose best-matched"
                + " answer is silence and is the one that compares with published rows.";
    }

    /** Writes the three files into the directory, each whole or not at all. */
    public void write(Path directory) {
        Map<String, Object> json = new LinkedHashMap<>(scores.toJson());
        json.put("provenance", provenance);
        AtomicFiles.write(
                directory.resolve("report.json"),
                out -> out.write(JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json)));
        ReportPage page = page();
        page.writeMarkdown(directory.resolve("report.md"));
        page.writeHtml(directory.resolve("report.html"));
    }
}
