package dev.prpf.cli.quickstart;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.spec.Precision;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.report.PipelineReport.GateFigures;
import dev.prpf.eval.score.Baselines;
import dev.prpf.eval.score.ExactJudge;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.TriggerThreshold;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionLines;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The cascade beside what needs no learning, and the gates alone.
 *
 * @param test the gold samples
 * @param predictions of the cascade, in the samples' order
 * @param systems name to scores: cascade, always_silent, always_trigger, random_function
 * @param gates name to figures on the test split: mpp, tfidf_lr
 */
record QuickstartResults(
        List<Sample> test, List<Prediction> predictions, Map<String, Scores> systems, Map<String, GateFigures> gates) {
    static final String CASCADE = "cascade";

    static QuickstartResults of(QuickstartFiles files, QuickstartConfig config) {
        List<Sample> train = SampleReader.readAll(files.data("train"));
        List<Sample> test = SampleReader.readAll(files.data("test"));
        FunctionPool pool = FunctionPoolReader.read(files.pool());
        ScenarioCatalog catalog = ScenarioCatalogReader.read(files.scenarios());
        List<Prediction> cascade = inOrder(test, PredictionLines.read(files.predictions()));
        Function<Prediction, CandidatePool> candidates = prediction -> CandidatePool.ofTop(
                config.topK(), new Perception(probability(prediction), prediction.scenarios()), pool, catalog);

        Map<String, List<Prediction>> systems = new LinkedHashMap<>();
        systems.put(CASCADE, cascade);
        systems.put("always_silent", Baselines.alwaysSilent(test));
        systems.put("always_trigger", Baselines.alwaysTrigger(train, test));
        systems.put("random_function", Baselines.randomFunction(cascade, candidates, config.seed()));
        Map<String, Scores> scores = new LinkedHashMap<>();
        systems.forEach((name, predictions) ->
                scores.put(name, Scorer.score(test, byId(predictions), pool, catalog, new ExactJudge())));
        return new QuickstartResults(test, cascade, scores, gates(files, config, train, test, cascade));
    }

    private static double probability(Prediction prediction) {
        Double probability = prediction.pTrigger();
        if (probability == null) {
            throw new IllegalStateException(
                    "prediction " + prediction.id() + " has no p_trigger: the gate did not run");
        }
        return probability;
    }

    private static List<Prediction> inOrder(List<Sample> samples, List<Prediction> predictions) {
        Map<String, Prediction> byId = byId(predictions);
        return samples.stream()
                .map(sample -> java.util.Objects.requireNonNull(byId.get(sample.id()), sample.id()))
                .toList();
    }

    private static Map<String, Prediction> byId(List<Prediction> predictions) {
        return predictions.stream().collect(Collectors.toMap(Prediction::id, Function.identity()));
    }

    private static Map<String, GateFigures> gates(
            QuickstartFiles files,
            QuickstartConfig config,
            List<Sample> train,
            List<Sample> test,
            List<Prediction> cascade) {
        boolean[] acts = TextGate.labels(test);
        boolean[] perceived = new boolean[acts.length];
        for (int i = 0; i < perceived.length; i++) {
            perceived[i] = cascade.get(i).route() == Prediction.Route.REASONED;
        }
        Map<String, GateFigures> gates = new LinkedHashMap<>();
        gates.put("mpp", figures(perceived, acts));
        gates.put("tfidf_lr", figures(textGate(files, config, train, test), acts));
        return gates;
    }

    private static GateFigures figures(boolean[] triggers, boolean[] acts) {
        int[] let = new int[2];
        int[] all = new int[2];
        for (int i = 0; i < acts.length; i++) {
            int label = acts[i] ? 1 : 0;
            all[label]++;
            let[label] += triggers[i] ? 1 : 0;
        }
        if (all[0] == 0 || all[1] == 0) {
            throw new InvalidDataException("the test split has " + all[1] + " acting and " + all[0]
                    + " silent samples, at least one of each is needed; raise test in configs/quickstart.yaml");
        }
        return new GateFigures(100.0 * let[1] / all[1], 100.0 * (all[0] - let[0]) / all[0]);
    }

    private static boolean[] textGate(
            QuickstartFiles files, QuickstartConfig config, List<Sample> train, List<Sample> test) {
        TriggerThreshold.Constraint constraint =
                new TriggerThreshold.Constraint.MaxFalseTriggers(config.maxFalseTriggers());
        try (SampleEncoder trainScreens = screens(files, files.images("train"));
                SampleEncoder testScreens = screens(files, files.images("test"))) {
            return TextGate.fit(train, constraint, config.seed(), trainScreens::screenText)
                    .triggers(test, testScreens::screenText);
        }
    }

    // Only the screens' stored texts are asked for; the encoders' arithmetic does not matter here.
    private static SampleEncoder screens(QuickstartFiles files, Path images) {
        return SampleEncoder.open(
                new EncoderSettings(Precision.INT8, LongText.MEAN_OF_WINDOWS, 1, files.store(), images));
    }
}
