package dev.prpf.cli.quickstart;

import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.TrainingCurves;
import dev.prpf.eval.report.PipelineReport;
import dev.prpf.eval.report.SampleGallery;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.mpp.tables.ThresholdReport;
import dev.prpf.mpp.threshold.TriggerThreshold;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The page of a quickstart's results. */
final class QuickstartReport {
    static final String CAVEAT =
            "The data are synthetic and the models tiny: these numbers show that the pipeline works. They are no "
                    + "benchmark; do not compare them with published values.";
    private static final int EXHIBITS_OF_A_KIND = 2;
    private static final List<String> LIMITATIONS = List.of(
            "It does not see: each screenshot enters the perceiver and the prompt as the text read from it "
                    + "(PP-OCRv4, then BGE-small-zh-v1.5; not CLIP).",
            "Its responses carry no reasoning (reasoning: none); a model of this size would only imitate the form.");

    private QuickstartReport() {}

    static ReportPage page(QuickstartFiles files, QuickstartResults results, PipelineReport pipeline) {
        TriggerThreshold threshold = MppRun.trained(files.gate()).threshold();
        Map<String, String> provenance = new LinkedHashMap<>();
        provenance.put("gate", ThresholdReport.sentence(threshold));
        provenance.put("samples", results.test().size() + " in the test split");
        provenance.put("revision", System.getProperty("prpf.revision", "unknown"));
        provenance.put("java", System.getProperty("java.version"));
        provenance.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        provenance.put("run directory", files.root().toString());
        return pipeline.page("PRPF quickstart", CAVEAT, LIMITATIONS)
                .heading("Training")
                .drawings(curves(files, threshold))
                .heading("Samples")
                .gallery(SampleGallery.of(
                        results.test(), results.cascade(), results.scores(), files.images("test"), EXHIBITS_OF_A_KIND))
                .heading("Provenance")
                .provenance(provenance);
    }

    private static List<Block.Drawing> curves(QuickstartFiles files, TriggerThreshold threshold) {
        List<Block.Drawing> curves = new ArrayList<>(losses("Perceiver: loss", files.gate()));
        curves.add(ThresholdReport.drawing(threshold));
        curves.addAll(losses("Reasoner: loss", files.reasoner()));
        curves.addAll(TrainingCurves.drawing(
                "Reasoner: mean reward of its responses", files.grpo(), List.of("reward", "eval_reward")));
        return curves;
    }

    private static List<Block.Drawing> losses(String title, Path run) {
        List<String> losses = TrainingCurves.keys(run).stream()
                .filter(key -> key.contains("loss"))
                .toList();
        return TrainingCurves.drawing(title, run, losses);
    }
}
