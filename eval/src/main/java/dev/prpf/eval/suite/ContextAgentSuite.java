package dev.prpf.eval.suite;

import dev.prpf.mpp.run.MppConfig;
import java.util.List;

/** ContextAgent's training records: from what a wearer's devices perceive, is help due? Five folds, near-duplicates together. See docs/SUITES.md. */
final class ContextAgentSuite {
    static final Suite SUITE = new Suite(
            "contextagent",
            "is help due? 600 records of wearable devices, 5 folds",
            ContextAgent.SOURCE,
            ContextAgentSuite::run);

    private static final int FOLDS = 5;
    private static final long SEED = 42;

    /**
     * Chosen on inner folds with a like network in PyTorch (docs/SUITES.md has what was tried): vectors of entries of variance 1, ten
     * passes at 1e-3, the mean of six perceivers.
     */
    static final MppGate.Settings PERCEIVER =
            new MppGate.Settings(1, 6, Math.sqrt(512), 64, 0.3, 10, new MppConfig.Optimizer(1e-3, 0.01, 32));

    private static final String BGE = "BGE + LR, C = 10";
    private static final List<List<String>> ENSEMBLES = List.of(
            List.of(EnsembleExperiment.MPP, EnsembleExperiment.TF_IDF, EnsembleExperiment.NAIVE_BAYES, BGE),
            List.of(EnsembleExperiment.TF_IDF, EnsembleExperiment.NAIVE_BAYES, BGE),
            List.of(EnsembleExperiment.MPP, EnsembleExperiment.TF_IDF, EnsembleExperiment.NAIVE_BAYES),
            List.of(EnsembleExperiment.MPP, EnsembleExperiment.TF_IDF),
            List.of(EnsembleExperiment.MPP, EnsembleExperiment.NAIVE_BAYES));

    private ContextAgentSuite() {}

    private static SuiteResult run(DataFolder data) {
        List<DecisionPoint> points = ContextAgent.read(data);
        NestedFolds folds = folds(points);
        EventVectors vectors = EventVectors.of(points);
        try (MppGate gate = new MppGate(PERCEIVER, vectors)) {
            return new EnsembleExperiment(SUITE.name(), points, folds)
                    .train(gate, vectors)
                    .train(BGE, Baselines.embedding(vectors, 10))
                    .chooseWeights()
                    .result(
                            "is help due? wearable records, 5 folds, near-duplicates together",
                            ENSEMBLES,
                            "Only what camera, microphone and phone perceive is used; see docs/SUITES.md for why.");
        }
    }

    static NestedFolds folds(List<DecisionPoint> points) {
        return NestedFolds.grouped(DecisionPoint.groups(points), FOLDS, SEED);
    }
}
