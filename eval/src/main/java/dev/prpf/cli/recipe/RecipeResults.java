package dev.prpf.cli.recipe;

import dev.prpf.base.error.PrpfException.GateFailedException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.report.PipelineReport.GateMetrics;
import dev.prpf.eval.score.BaselinePredictions;
import dev.prpf.eval.score.Pairing;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.ensemble.SampleTexts;
import dev.prpf.mpp.ensemble.TextAnalyzer;
import dev.prpf.mpp.ensemble.TfIdfGate;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/**
 * Scores the cascade and baselines without learning on the test records, and measures the gates.
 *
 * @param systems name to scores: cascade, always_silent, always_trigger, random_function, and tfidf_lr if it was measured
 * @param gates name to metrics on the test split: perceiver, and tfidf_lr if it was measured
 */
record RecipeResults(
        List<Sample> test,
        Map<String, Prediction> cascade,
        Map<String, Scores> systems,
        Map<String, GateMetrics> gates) {
    /** The key of the cascade's gate in {@code gates}. */
    private static final String GATE = "perceiver";

    static final String CASCADE = "cascade";
    static final String TEXT_GATE = "tfidf_lr";

    /**
     * Records that a cascade was run on.
     *
     * @param images root of their images; null without images
     * @param store of the texts on their images
     * @param predictions the cascade's
     */
    record Tested(Path records, @Nullable Path images, Path store, Path predictions) {}

    static RecipeResults of(RecipeFiles files, Recipe recipe) {
        return of(
                files, recipe, new Tested(files.test(), files.testImages(recipe), files.store(), files.predictions()));
    }

    static RecipeResults of(RecipeFiles files, Recipe recipe, Tested tested) {
        List<Sample> train = SampleReader.readAll(files.train());
        List<Sample> test = SampleReader.readAll(tested.records);
        FunctionPool pool = FunctionPoolFile.read(files.catalog().functions());
        ScenarioCatalog catalog = ScenarioCatalogReader.read(files.catalog().scenarios());
        String gold = tested.records.toString();
        Map<String, Prediction> byId =
                Pairing.of(test, gold, Prediction.read(tested.predictions), tested.predictions.toString());
        List<Prediction> cascade = test.stream()
                .map(sample -> Objects.requireNonNull(byId.get(sample.id())))
                .toList();
        Function<Prediction, CandidatePool> candidates = prediction -> CandidatePool.ofTop(
                recipe.shortlist(), new Perception(probability(prediction), prediction.scenarios()), pool, catalog);

        Map<String, List<Prediction>> systems = new LinkedHashMap<>();
        systems.put(CASCADE, cascade);
        systems.put("always_silent", BaselinePredictions.alwaysSilent(test));
        systems.put("always_trigger", BaselinePredictions.alwaysTrigger(train, test));
        systems.put("random_function", BaselinePredictions.randomFunction(cascade, candidates, recipe.seed()));
        List<Prediction> words = textBaseline(files, recipe, train, test, tested);
        if (words != null) {
            systems.put(TEXT_GATE, words);
        }
        Map<String, Scores> scores = new LinkedHashMap<>();
        Scorer scorer = Scorer.standard(catalog);
        systems.forEach((name, predictions) ->
                scores.put(name, scorer.score(test, Pairing.of(test, gold, predictions, name), pool)));
        return new RecipeResults(test, byId, scores, gates(test, cascade, words));
    }

    Scores scores() {
        return Objects.requireNonNull(systems.get(CASCADE));
    }

    private static double probability(Prediction prediction) {
        return Objects.requireNonNull(prediction.pTrigger(), () -> prediction.id() + ": the gate did not run");
    }

    /** Returns metrics of the gates; none if the test records lack a class. */
    private static Map<String, GateMetrics> gates(
            List<Sample> test, List<Prediction> cascade, @Nullable List<Prediction> words) {
        Map<String, GateMetrics> gates = new LinkedHashMap<>();
        addMetrics(gates, GATE, cascade, test);
        if (words != null) {
            addMetrics(gates, TEXT_GATE, words, test);
        }
        return gates;
    }

    private static void addMetrics(
            Map<String, GateMetrics> gates, String name, List<Prediction> predictions, List<Sample> test) {
        boolean[] passed = ArrayUtils.toPrimitive(predictions.stream()
                .map(prediction -> prediction.route() == Prediction.Route.REASONED)
                .toArray(Boolean[]::new));
        ConfusionMatrix counts = ConfusionMatrix.of(passed, labels(test));
        Double recall = counts.recall();
        Double specificity = counts.specificity();
        if (recall != null && specificity != null) {
            gates.put(name, new GateMetrics(recall, specificity));
        }
    }

    /**
     * Returns predictions of the text baseline. Its gate is TF-IDF and logistic regression over all words of a sample, fitted on 80 % of the
     * training samples. The rest chooses its threshold, as for the perceiver. Where the gate triggers, the baseline repeats the calls of the most
     * similar acting training sample. Null for few records, if one of the two parts lacks a class, and if no threshold keeps the limit.
     */
    private static @Nullable List<Prediction> textBaseline(
            RecipeFiles files, Recipe recipe, List<Sample> train, List<Sample> test, Tested tested) {
        List<Sample> shuffled = new ArrayList<>(train);
        Collections.shuffle(shuffled, new Random(recipe.seed()));
        int devSize = (int) (shuffled.size() * RecipeData.DEV_SHARE);
        List<Sample> dev = shuffled.subList(0, devSize);
        List<Sample> fitted = shuffled.subList(devSize, shuffled.size());
        if (train.size() < RecipeData.FEW || !hasBothClasses(dev) || !hasBothClasses(fitted)) {
            return null;
        }
        try (SampleEncoder trainScreens = screens(files.store(), files.trainImages(recipe));
                SampleEncoder testScreens = screens(tested.store, tested.images)) {
            TfIdfGate gate = TfIdfGate.fit(texts(fitted, trainScreens), labels(fitted), TextAnalyzer.CHARACTERS);
            Double tau = threshold(recipe.gate(), probabilities(gate, texts(dev, trainScreens)), labels(dev));
            List<Sample> acting =
                    fitted.stream().filter(sample -> sample.target() != null).toList();
            if (tau == null || acting.isEmpty()) {
                return null;
            }
            return BaselinePredictions.mostSimilar(
                    gate,
                    tau,
                    new BaselinePredictions.Texts(acting, texts(acting, trainScreens)),
                    new BaselinePredictions.Texts(test, texts(test, testScreens)));
        }
    }

    /** Returns the baseline gate's threshold; null if none keeps the limit of false triggers on dev. */
    static @Nullable Double threshold(Recipe.Gate limit, double[] probabilities, boolean[] acts) {
        try {
            return new ThresholdRule.MaxFalseTriggers(limit.falseTriggers())
                    .choose(probabilities, acts)
                    .threshold();
        } catch (GateFailedException e) {
            return null;
        }
    }

    /** Returns what the report says about a baseline gate that was not measured; null if it was. */
    static @Nullable String missingTextGate(Map<String, GateMetrics> gates, Recipe recipe) {
        return gates.containsKey(TEXT_GATE)
                ? null
                : "The baseline gate " + TEXT_GATE + " was not measured: it needs " + RecipeData.FEW
                        + " training records, both classes in each split, and a threshold that keeps"
                        + " gate.false-triggers = " + recipe.gate().falseTriggers() + " on its dev samples.";
    }

    /** Returns whether the cascade's gate passes no acting test record. */
    static boolean isSilent(Map<String, GateMetrics> gates) {
        GateMetrics gate = gates.get(GATE);
        return gate != null && gate.recall() == 0;
    }

    private static boolean hasBothClasses(List<Sample> samples) {
        return samples.stream().map(Sample::wantsIntervention).distinct().count() == 2;
    }

    // Only the screenshots' stored texts are read, so the encoders' number format does not matter.
    private static SampleEncoder screens(Path store, @Nullable Path images) {
        return SampleEncoder.open(
                new EncoderSettings(EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS, 1, store, images));
    }

    private static double[] probabilities(TfIdfGate gate, List<String> texts) {
        return texts.stream().mapToDouble(gate::predictProbability).toArray();
    }

    private static boolean[] labels(List<Sample> samples) {
        return ArrayUtils.toPrimitive(
                samples.stream().map(Sample::wantsIntervention).toArray(Boolean[]::new));
    }

    private static List<String> texts(List<Sample> samples, SampleEncoder screens) {
        return samples.stream()
                .map(sample -> SampleTexts.of(sample, screens::screenText).words(true))
                .toList();
    }
}
