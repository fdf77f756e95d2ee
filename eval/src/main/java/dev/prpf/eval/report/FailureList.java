package dev.prpf.eval.report;

import dev.prpf.base.report.Block;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.ErrorAnalysis.ErrorCategory;
import dev.prpf.eval.score.ErrorAnalysis.Outcome;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Failures to browse: inputs, outputs, and the reason why each is wrong.
 *
 * @param scorer with the catalogue and the judge, which is called again for its reasons
 * @param pool of the gold set's functions
 * @param prompts facts on the reasoner's prompts
 * @param images root of the screenshots' paths, or null: screenshots are named only
 * @param perKind maximum number for each modality and outcome
 */
public record FailureList(Scorer scorer, FunctionPool pool, Prompts prompts, @Nullable Path images, int perKind) {
    private static final int LAST_SCREENSHOTS = 2;
    private static final int LIKELIEST = 5;

    /**
     * Facts on the reasoner's prompts, from its run.
     *
     * @param shortlist number of scenarios that selected the functions; null for the whole pool or if unknown, which hides candidates
     * @param screenshots the form of screenshots; null if unknown
     * @param traced whether they had the trace
     */
    public record Prompts(@Nullable Integer shortlist, @Nullable ScreenshotForm screenshots, boolean traced) {}

    private record Failure(Sample sample, Prediction prediction, SampleScore score) {
        /** Returns the judge's cases: the prediction with each answer, if both act. */
        List<Judge.Case> cases(FunctionPool pool) {
            List<FunctionCall> predicted = prediction.scored();
            return predicted == null || predicted.isEmpty()
                    ? List.of()
                    : sample.validSequences().stream()
                            .filter(answer -> !answer.isEmpty())
                            .map(answer -> new Judge.Case(sample, pool, predicted, answer))
                            .toList();
        }
    }

    /**
     * Selects and formats failures; memory holds only the selected ones. The judge is called once.
     *
     * @param gold the scored samples, in order
     * @param predictions by id
     * @param scores of those samples
     * @throws dev.prpf.base.error.PrpfException 65, naming the sample, for a screenshot that lies outside the root
     */
    public List<Block.Entry> of(
            Iterator<Sample> gold, Function<String, @Nullable Prediction> predictions, Scores scores) {
        Map<String, SampleScore> chosen = chosen(scores);
        List<Failure> failures = new ArrayList<>();
        while (gold.hasNext() && failures.size() < chosen.size()) {
            Sample sample = gold.next();
            SampleScore score = chosen.get(sample.id());
            Prediction prediction = score == null ? null : predictions.apply(sample.id());
            if (score != null && prediction != null) {
                failures.add(new Failure(sample, prediction, score));
            }
        }
        List<Judge.Case> cases = failures.stream()
                .flatMap(failure -> failure.cases(pool).stream())
                .toList();
        Iterator<Judge.Verdict> verdicts = cases.isEmpty()
                ? Collections.emptyIterator()
                : scorer.judge().judge(cases).iterator();
        return failures.stream().map(failure -> entry(failure, verdicts)).toList();
    }

    private Map<String, SampleScore> chosen(Scores scores) {
        Map<String, Integer> seen = new HashMap<>();
        Map<String, SampleScore> chosen = new HashMap<>();
        for (SampleScore score : scores.samples()) {
            String kind = score.modality() + " " + Outcome.of(score);
            if (Outcome.of(score) != Outcome.SUCCESS && seen.merge(kind, 1, Integer::sum) <= perKind) {
                chosen.put(score.id(), score);
            }
        }
        return chosen;
    }

    private Block.Entry entry(Failure failure, Iterator<Judge.Verdict> verdicts) {
        Sample sample = failure.sample();
        SampleScore score = failure.score();
        Map<String, String> tags = new LinkedHashMap<>();
        tags.put("outcome", Outcome.of(score).label());
        tags.put("modality", sample.modality().label());
        tags.put("difficulty", "L" + sample.difficulty());
        if (score.scenario() != null) {
            tags.put("scenario", score.scenario());
        }
        return new Block.Entry(
                sample.id(),
                tags,
                SampleGallery.screenshots(sample, images, LAST_SCREENSHOTS),
                facts(failure, verdicts));
    }

    private Map<String, String> facts(Failure failure, Iterator<Judge.Verdict> verdicts) {
        Sample sample = failure.sample();
        Prediction prediction = failure.prediction();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("Profile", sample.context().profile());
        facts.put("Phone", sample.context().phone());
        facts.put("World", sample.context().world());
        facts.put("Trace", String.join("\n", SampleGallery.steps(sample)));
        facts.put("Seen", seen(sample, prediction));
        facts.put("Gate", gate(prediction));
        Perception perception = perception(prediction);
        if (perception != null) {
            facts.put("Likeliest scenarios", scenarios(perception));
        }
        Integer shortlist = prompts.shortlist();
        if (perception != null
                && scorer.catalog() != null
                && shortlist != null
                && prediction.route() == Prediction.Route.REASONED) {
            facts.put(
                    "Candidate functions, of the top " + shortlist + " scenarios",
                    CandidatePool.ofTop(shortlist, perception, pool, scorer.catalog()).functions().stream()
                            .map(FunctionSpec::name)
                            .collect(Collectors.joining(", ")));
        }
        if (prediction.response() != null) {
            facts.put("Response", prediction.response());
        }
        facts.put("Predicted", SampleGallery.predicted(prediction));
        facts.put("Valid answers", SampleGallery.answers(sample));
        facts.put("Why it is wrong", why(failure.score()));
        facts.put("Verdicts (" + scorer.judge().id() + ")", verdicts(failure, verdicts));
        facts.put("Reward of the calls", reward(sample, prediction));
        facts.values().removeIf(String::isBlank);
        return facts;
    }

    /** Describes how the reasoner saw the screenshots; empty if it did not run or tokens were not counted. */
    private String seen(Sample sample, Prediction prediction) {
        if (sample.trajectory().screenshots().isEmpty() || prediction.route() == Prediction.Route.SILENT) {
            return "";
        }
        if (!prompts.traced()) {
            return "no screenshot";
        }
        PredictionCost cost = prediction.cost();
        Integer tokens = cost == null ? null : cost.visualTokens();
        ScreenshotForm form = prompts.screenshots();
        if (tokens == null && form == null) {
            return "";
        }
        if (prediction.refused()) {
            return "nothing, the prompt was refused as too long";
        }
        if (form == null && tokens != null && tokens == 0) {
            return "only the screenshots' text";
        }
        String shown = "the screenshots as images" + (tokens == null ? "" : " of " + tokens + " tokens in all");
        if (form == null) {
            return shown;
        }
        return shown + (form.worded() ? ", and their text" : ", without their text");
    }

    private static String gate(Prediction prediction) {
        if (prediction.unusablePerception()) {
            return "the perceiver's answer could not be used";
        }
        Double probability = prediction.pTrigger();
        String by = prediction.route() == Prediction.Route.SILENT ? "silent" : "to the reasoner";
        return probability == null ? by : String.format(Locale.ROOT, "p_trigger %.3f, %s", probability, by);
    }

    private static @Nullable Perception perception(Prediction prediction) {
        Double probability = prediction.pTrigger();
        return probability == null || prediction.scenarios().isEmpty()
                ? null
                : new Perception(probability, prediction.scenarios());
    }

    private String scenarios(Perception perception) {
        int shown = Objects.requireNonNullElse(prompts.shortlist(), LIKELIEST);
        return perception.top(Math.min(shown, perception.scenarios().size())).stream()
                .map(name -> String.format(
                        Locale.ROOT,
                        "%s %.2f",
                        name,
                        Objects.requireNonNull(perception.scenarios().get(name))))
                .collect(Collectors.joining(", "));
    }

    private static String why(SampleScore score) {
        ErrorCategory category = ErrorCategory.of(score);
        String wrong = category == null ? "right functions, other arguments" : category.label();
        String match = score.match().isSilence()
                ? "silence"
                : String.join(", ", score.match().answer());
        return (score.abstained() ? "unknown, the judge abstained" : wrong) + "; the best match is " + match;
    }

    private String verdicts(Failure failure, Iterator<Judge.Verdict> verdicts) {
        return failure.cases(pool).stream()
                .map(one -> verdicts.next())
                .map(verdict -> (verdict.abstained() ? "abstained: " : "") + verdict.reason())
                .collect(Collectors.joining("\n"));
    }

    /** Formats the reward; empty if an answer calls a function missing from the pool, as its argument types are unknown. */
    private String reward(Sample sample, Prediction prediction) {
        List<FunctionCall> predicted = prediction.scored();
        boolean known =
                sample.validSequences().stream().flatMap(List::stream).allMatch(call -> pool.contains(call.name()));
        if (predicted == null || !known) {
            return "";
        }
        RewardBreakdown reward = new StructuredReward(RewardSettings.PAPER, pool).score(sample, predicted);
        return String.format(Locale.ROOT, "%.2f = ", reward.total())
                + reward.terms().entrySet().stream()
                        .filter(term -> term.getValue() != 0)
                        .map(term -> String.format(Locale.ROOT, "%s %+.2f", term.getKey(), term.getValue()))
                        .collect(Collectors.joining(" "));
    }
}
