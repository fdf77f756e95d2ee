package dev.prpf.eval.suite;

import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.ShippedEncoders;
import java.nio.file.Path;
import java.util.List;

/** ContextAgent's training records: from what a wearer's devices perceive, is help due? Five folds, near-duplicates together. See docs/SUITES.md. */
public final class ContextAgentSuite {
    /** The suite's name on the command line. */
    public static final String NAME = "contextagent";

    private static final int FOLDS = 5;
    private static final long SEED = 42;

    /**
     * Chosen on inner folds with a like network in PyTorch (docs/SUITES.md has what was tried): vectors of entries of variance 1, ten
     * passes at 1e-3, the mean of six perceivers.
     */
    static final MppGate.Settings PERCEIVER = new MppGate.Settings(1, 64, 0.3, 10, 32, 1e-3, 0.01, 6, Math.sqrt(512));

    private static final String BGE = "BGE + LR, C = 10";

    private ContextAgentSuite() {}

    /**
     * Reads the data, encodes them with BGE, trains and scores everything; minutes.
     *
     * @param folder holds cab_train.json
     * @throws dev.prpf.base.error.PrpfException 69 if the file is missing, 65 if it is not what it should be
     */
    public static SuiteResult run(Path folder) {
        List<DecisionPoint> points = ContextAgent.read(folder).points();
        NestedFolds folds = folds(points);
        EventVectors vectors = EventVectors.of(points, EncoderSpec.ofText(ShippedEncoders.DEFAULT));
        try (MppGate gate = new MppGate(PERCEIVER, vectors)) {
            return result(points, folds, gate, vectors);
        }
    }

    static NestedFolds folds(List<DecisionPoint> points) {
        return NestedFolds.grouped(points.stream().map(DecisionPoint::group).toList(), FOLDS, SEED);
    }

    static SuiteResult result(
            List<DecisionPoint> points, NestedFolds folds, GateTrainer perceiver, EventVectors vectors) {
        return new MixedGateSuite(
                        NAME, "is help due? wearable records, 5 folds, near-duplicates together", points, folds)
                .train(perceiver, vectors)
                .train(BGE, Baselines.embedding(vectors, 10))
                .chooseWeights()
                .result(
                        List.of(
                                List.of("MPP", "TF-IDF + LR", "naive Bayes", BGE),
                                List.of("TF-IDF + LR", "naive Bayes", BGE),
                                List.of("MPP", "TF-IDF + LR", "naive Bayes"),
                                List.of("MPP", "TF-IDF + LR"),
                                List.of("MPP", "naive Bayes")),
                        List.of("Only what camera, microphone and phone perceive is used; see docs/SUITES.md for"
                                + " why."));
    }
}
