package dev.prpf.cli.recipe;

import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.TrainingCurves;
import dev.prpf.eval.report.PipelineReport;
import dev.prpf.eval.report.PipelineReport.GateMetrics;
import dev.prpf.eval.report.SampleGallery;
import dev.prpf.mpp.tables.ThresholdReport;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.training.MppRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report that {@code prpf train} writes. */
final class RecipeReport {
    private static final int EXHIBITS_OF_A_KIND = 2;

    private RecipeReport() {}

    /** Returns what the results do not show. */
    static String caveat(Recipe recipe) {
        return recipe.data().synthetic() != null
                ? "The data are synthetic: these numbers show that the pipeline works. They are no benchmark; do not compare"
                        + " them with published values."
                : "The numbers hold for the test records of this recipe.";
    }

    static List<String> limitations(Recipe recipe, Map<String, GateMetrics> gates) {
        List<String> limitations = new ArrayList<>();
        if (recipe.preset() != Recipe.Preset.PAPER) {
            limitations.add(
                    "It does not see: each screenshot enters gate and prompt as the text read from it (PP-OCRv4).");
            limitations.add("Its responses carry no reasoning (prompt.reasoning: none).");
        }
        String missing = RecipeResults.missingTextGate(gates, recipe);
        if (missing != null) {
            limitations.add(missing);
        }
        return limitations;
    }

    static ReportPage page(RecipeFiles files, Recipe recipe, RecipeResults results, PipelineReport pipeline) {
        TriggerThreshold threshold = MppRun.trained(files.gate()).threshold();
        Map<String, String> provenance = new LinkedHashMap<>();
        provenance.put("gate", ThresholdReport.sentence(threshold));
        provenance.put("samples", results.test().size() + " in the test split");
        provenance.put("revision", System.getProperty("prpf.revision", "unknown"));
        provenance.put("java", System.getProperty("java.version"));
        provenance.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        provenance.put("run directory", files.root().toString());
        return pipeline.page(
                        "PRPF " + files.root().toAbsolutePath().normalize().getFileName(),
                        caveat(recipe),
                        limitations(recipe, results.gates()))
                .heading("Training")
                .drawings(curves(files, recipe, threshold))
                .heading("Samples")
                .gallery(SampleGallery.of(
                        results.test(),
                        results.cascade(),
                        results.scores(),
                        files.testImages(recipe),
                        EXHIBITS_OF_A_KIND))
                .heading("Next step")
                .bullets(List.of(
                        "Try it in a browser: ./prpf serve " + files.root(),
                        "Score it on other samples: ./prpf evaluate " + files.root() + " --data FILE",
                        "Train on your own records: ./prpf init my-assistant"))
                .heading("Provenance")
                .provenance(provenance);
    }

    private static List<Block.Drawing> curves(RecipeFiles files, Recipe recipe, TriggerThreshold threshold) {
        List<Block.Drawing> curves = new ArrayList<>(losses("Gate: loss", files.gate()));
        curves.add(ThresholdReport.drawing(threshold));
        curves.addAll(losses("Reasoner: loss", files.sft()));
        if (recipe.grpo()) {
            curves.addAll(TrainingCurves.drawing(
                    "Reasoner: mean reward of its responses", files.grpo(), List.of("reward", "eval_reward")));
        }
        return curves;
    }

    private static List<Block.Drawing> losses(String title, Path run) {
        List<String> losses = TrainingCurves.keys(run).stream()
                .filter(key -> key.contains("loss"))
                .toList();
        return TrainingCurves.drawing(title, run, losses);
    }
}
