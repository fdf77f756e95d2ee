package dev.prpf.cli.quickstart;

import dev.prpf.base.report.TrainingCurves;
import dev.prpf.eval.report.PipelineReport;
import dev.prpf.eval.report.SampleGallery;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.mpp.threshold.ThresholdCurve;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The quickstart's page. */
final class QuickstartReport {
    static final String CAVEAT =
            "The data are synthetic and the models tiny: these numbers show that the pipeline works. They are no "
                    + "benchmark and stand beside no published figure.";
    private static final int EXHIBITS_OF_A_KIND = 2;

    private final QuickstartFiles files;
    private final QuickstartResults results;
    private final Map<String, Double> seconds;

    QuickstartReport(QuickstartFiles files, QuickstartResults results, Map<String, Double> seconds) {
        this.files = files;
        this.results = results;
        this.seconds = seconds;
    }

    PipelineReport report() {
        PipelineReport report = new PipelineReport("PRPF quickstart", CAVEAT);
        results.systems().forEach(report::system);
        results.gates().forEach(report::gate);
        seconds.forEach(report::stage);
        curves(report);
        report.exhibits(SampleGallery.of(
                results.test(),
                results.predictions().stream().collect(Collectors.toMap(Prediction::id, Function.identity())),
                Objects.requireNonNull(results.systems().get(QuickstartResults.CASCADE)),
                files.images("test"),
                EXHIBITS_OF_A_KIND));
        report.limit("It does not see: each screenshot enters the perceiver and the prompt as the text read from it "
                + "(PP-OCRv4, then BGE-small-zh-v1.5; not CLIP).");
        report.limit("Its responses carry no reasoning (reasoning: none); a model of this size would only imitate the"
                + " form.");
        report.provenance("gate", new MppRun(files.mpp()).threshold().sentence());
        report.provenance("samples", results.test().size() + " in the test split");
        report.provenance("revision", System.getProperty("prpf.revision", "unknown"));
        report.provenance("java", System.getProperty("java.version"));
        report.provenance("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        report.provenance("run directory", files.root().toString());
        return report;
    }

    private void curves(PipelineReport report) {
        report.training(
                TrainingCurves.drawing("Perceiver: loss", files.mpp(), losses(TrainingCurves.keys(files.mpp()))));
        TriggerThreshold threshold = new MppRun(files.mpp()).threshold();
        report.training(List.of(ThresholdCurve.drawing(threshold)));
        report.training(
                TrainingCurves.drawing("Reasoner: loss", files.par(), losses(TrainingCurves.keys(files.par()))));
        report.training(TrainingCurves.drawing(
                "Reasoner: mean reward of its responses", files.grpo(), List.of("reward", "eval_reward")));
    }

    private static List<String> losses(List<String> keys) {
        List<String> losses = new ArrayList<>(keys);
        losses.removeIf(key -> !key.contains("loss"));
        return losses;
    }
}
