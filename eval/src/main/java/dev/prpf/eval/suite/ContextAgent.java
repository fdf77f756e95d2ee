package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.eval.suite.GateSuite.SuiteEncoder;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.split.NearDuplicates;
import dev.prpf.mpp.training.MppConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * ContextAgent's released training records (arXiv 2505.14668): perceptions of a wearer's camera, microphone and phone, with a
 * proactive score of 1 to 5. The task: is help due? Five folds keep near-duplicates together (docs/SUITES.md). Only perceptions
 * are used: presence and length of persona and summary reveal the score, and thoughts and tools follow it.
 */
final class ContextAgent {
    static final GateSuite SUITE = new GateSuite(
            "contextagent",
            "is help due? 600 records of wearable devices, 5 folds",
            new Suite.DataSource("openaiotlab/ContextAgent", "6ef60ce8", "MIT"),
            "gate/contextagent",
            GateSuite.ENGLISH,
            ContextAgent::score);

    private static final int FOLDS = 5;
    private static final long SEED = 42;
    private static final int HELP_FROM = 3;
    private static final int HIGHEST = 5;
    private static final Set<String> INDICES = Set.of("true", "medium", "false");

    private ContextAgent() {}

    private static SuiteResult score(DataFolder data, List<SuiteEncoder> encoders) {
        List<DecisionPoint> points = read(data);
        List<EventVectors> vectors = EventVectors.of(points, encoders);
        EventVectors joined = EventVectors.joined(vectors);
        return new EnsembleExperiment(SUITE.name(), points, folds(points), vectors)
                .train(new MppGate(perceiver(joined.width()), joined))
                .result(
                        "is help due? wearable records, 5 folds, near-duplicates together",
                        EnsembleExperiment.Threshold.HIGHEST_F1,
                        "Only what camera, microphone and phone perceive is used; see docs/SUITES.md for why.");
    }

    /**
     * Returns the settings, chosen on inner folds with a similar PyTorch network (benchmarks/gate): vectors with entries of
     * variance 1, ten epochs at 1e-3. Only two perceivers are averaged, to save time.
     *
     * @param width width of the text encoders' vectors, which have length 1
     */
    static MppGate.Settings perceiver(int width) {
        return new MppGate.Settings(1, 2, Math.sqrt(width), 64, 0.3, 10, new MppConfig.Optimizer(1e-3, 0.01, 32));
    }

    static NestedFolds folds(List<DecisionPoint> points) {
        return NestedFolds.grouped(DecisionPoint.groups(points), FOLDS, SEED);
    }

    /**
     * Reads {@code cab_train.json}, one point per record in the file's order; near-duplicates share a group. Help is due from a
     * score of 3, where the released proactive index is not "false".
     *
     * @throws dev.prpf.base.error.PrpfException 69 if the file is missing, 65 if it is invalid or score and index disagree
     */
    static List<DecisionPoint> read(DataFolder data) {
        BenchmarkFile file = data.file(data.find("cab_train.json"));
        JsonNode root = file.tree();
        file.require(root.isObject() && !root.isEmpty(), "/", root, "an object of records");
        List<Sensed> records = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            records.add(sensed(file, "/" + entry.getKey(), entry.getValue()));
        }
        List<Integer> groups = NearDuplicates.groups(
                records.stream().map(record -> List.of(words(record.words()))).toList());
        return IntStream.range(0, groups.size())
                .mapToObj(i -> records.get(i).point("record " + groups.get(i)))
                .toList();
    }

    /** The devices' perceptions of a moment in words; "" without any. */
    private record Sensed(String vision, String audio, String phone, boolean helpNeeded) {
        String words() {
            return vision + " " + audio + " " + phone;
        }

        /** Creates the point: the camera's text is the last event, the microphone's is the world context. */
        DecisionPoint point(String group) {
            return new DecisionPoint(
                    group, List.of("", phone, audio), List.of(new DecisionPoint.Event("", vision)), helpNeeded);
        }
    }

    private static Sensed sensed(BenchmarkFile file, String place, JsonNode record) {
        return new Sensed(
                file.words(record, "Vision", place, "what the camera sees"),
                file.text(record, "Audio", place),
                phone(file, place + "/Mobile api data", record.path("Mobile api data")),
                helpNeeded(file, place, record));
    }

    private static String phone(BenchmarkFile file, String place, JsonNode value) {
        if (value.isTextual()) {
            return value.textValue();
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode text : value) {
            if (!text.isTextual()) {
                throw file.bad(place, "contains " + BenchmarkFile.shown(text) + ", must contain strings");
            }
            texts.add(text.textValue());
        }
        file.require(value.isArray(), place, value, "a text or a list of texts");
        return String.join(" ", texts);
    }

    private static boolean helpNeeded(BenchmarkFile file, String place, JsonNode record) {
        JsonNode score = record.path("Proactive score");
        boolean holds = score.isInt() && score.intValue() >= 1 && score.intValue() <= HIGHEST;
        file.require(holds, place + "/Proactive score", score, "a whole number from 1 to 5");
        String index = file.text(record, "Proactive index", place);
        boolean due = score.intValue() >= HELP_FROM;
        if (!INDICES.contains(index) || due == index.equals("false")) {
            throw file.bad(
                    place + "/Proactive index",
                    "is \"" + index + "\" with a score of " + score.intValue()
                            + ", must be \"false\" below 3 and \"medium\" or \"true\" from 3 on");
        }
        return due;
    }

    private static Set<String> words(String text) {
        return Stream.of(text.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+"))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toSet());
    }
}
