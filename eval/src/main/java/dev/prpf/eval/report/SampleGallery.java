package dev.prpf.eval.report;

import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Block;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.eval.score.ErrorAnalysis.Outcome;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.eval.score.Scores;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Example samples with valid answers and predictions: the first of each modality and outcome, wrong ones included. */
public final class SampleGallery {
    private static final int LONGEST = 400;
    private static final int STEPS = 4;

    private SampleGallery() {}

    /**
     * Selects and formats the samples.
     *
     * @param gold the scored samples
     * @param predictions by id
     * @param images root of the screenshots' paths, or null: screenshots are named only
     * @param perKind maximum number for each modality and outcome
     * @throws dev.prpf.base.error.PrpfException 65, naming the sample, for a screenshot that lies outside the root
     */
    public static List<Block.Exhibit> of(
            List<Sample> gold, Map<String, Prediction> predictions, Scores scores, @Nullable Path images, int perKind) {
        Map<String, Sample> byId = gold.stream().collect(Collectors.toMap(Sample::id, sample -> sample));
        Map<String, Integer> shown = new HashMap<>();
        List<Block.Exhibit> exhibits = new ArrayList<>();
        for (SampleScore score : scores.samples()) {
            Sample sample = byId.get(score.id());
            Prediction prediction = predictions.get(score.id());
            String kind = score.modality() + " " + Outcome.of(score) + " " + score.acts();
            if (sample != null && prediction != null && shown.merge(kind, 1, Integer::sum) <= perKind) {
                exhibits.add(exhibit(sample, prediction, score, images));
            }
        }
        return exhibits;
    }

    private static Block.Exhibit exhibit(
            Sample sample, Prediction prediction, SampleScore score, @Nullable Path images) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("Profile", cut(sample.context().profile()));
        facts.put("Trace, last steps", trace(sample));
        facts.put("Valid answers", answers(sample));
        facts.put("Predicted" + gate(prediction), predicted(prediction));
        String title = sample.id() + ": " + sample.modality().label() + ", L" + sample.difficulty() + ", "
                + Outcome.of(score).label();
        return new Block.Exhibit(title, screenshots(sample, images, Integer.MAX_VALUE), facts, score.success());
    }

    /** Returns the files of the last screenshots, at most {@code most}; none without a root of their paths. */
    static List<Path> screenshots(Sample sample, @Nullable Path images, int most) {
        int all = sample.trajectory().screenshots().size();
        return images == null || all == 0
                ? List.of()
                : new ImageFolder(images)
                        .imagesOf(sample)
                        .skip(Math.max(0, all - most))
                        .flatMap(image -> Stream.ofNullable(image.file()))
                        .toList();
    }

    private static String gate(Prediction prediction) {
        Double probability = prediction.pTrigger();
        return probability == null ? "" : String.format(Locale.ROOT, " (p_trigger %.2f)", probability);
    }

    private static String trace(Sample sample) {
        List<String> steps = steps(sample);
        return steps.stream()
                .skip(Math.max(0, steps.size() - STEPS))
                .map(SampleGallery::cut)
                .collect(Collectors.joining("\n"));
    }

    static List<String> steps(Sample sample) {
        return sample.trajectory().steps().stream()
                .map(step -> step.text(screenshot -> "[" + screenshot.path() + "]"))
                .toList();
    }

    static String answers(Sample sample) {
        List<Recommendation> answers = sample.answers();
        if (answers == null || answers.isEmpty()) {
            return "silence";
        }
        return answers.stream()
                .map(answer -> (answer.instruction().isBlank() ? "" : cut(answer.instruction()) + " → ")
                        + calls(answer.calls()))
                .collect(Collectors.joining("\n"));
    }

    static String predicted(Prediction prediction) {
        List<FunctionCall> calls = prediction.scored();
        if (calls == null) {
            String response = prediction.response();
            return prediction.unusablePerception()
                    ? "malformed: the perceiver's answer could not be used"
                    : "malformed: " + (response == null ? "no text" : cut(response));
        }
        String by = prediction.route() == Prediction.Route.SILENT ? ", by the gate" : ", by the reasoner";
        return calls.isEmpty() ? "silence" + by : calls(calls);
    }

    private static String calls(List<FunctionCall> calls) {
        return calls.isEmpty()
                ? "silence"
                : calls.stream()
                        .map(call -> call.name() + " " + JsonRecords.write(call.parameters()))
                        .collect(Collectors.joining("\n"));
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, text.offsetByCodePoints(0, LONGEST / 2)) + " …";
    }
}
