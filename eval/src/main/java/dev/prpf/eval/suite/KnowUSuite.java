package dev.prpf.eval.suite;

import java.util.List;

/** KnowU-Bench's phone logs: is this event a signal of a routine, or noise? One persona is held out at a time. See docs/SUITES.md. */
final class KnowUSuite {
    static final Suite SUITE = new Suite(
            "knowu",
            "signal or noise? 340 events of two phone logs, one persona held out",
            KnowU.SOURCE,
            KnowUSuite::run);

    private static final int INNER_FOLDS = 5;
    private static final long SEED = 42;

    /** The perceiver of the first suite, not tuned again; two of them are averaged, for time. */
    private static final MppGate.Settings PERCEIVER = MppGate.PRIMARY.withSeeds(2);

    private static final String FAMILIARITY = "familiarity";
    private static final List<List<String>> ENSEMBLES = List.of(
            List.of(EnsembleExperiment.MPP, EnsembleExperiment.TF_IDF, FAMILIARITY),
            List.of(EnsembleExperiment.MPP, FAMILIARITY),
            List.of(EnsembleExperiment.MPP, EnsembleExperiment.TF_IDF),
            List.of(EnsembleExperiment.TF_IDF, FAMILIARITY));

    private KnowUSuite() {}

    private static SuiteResult run(DataFolder data) {
        KnowU logs = KnowU.read(data);
        NestedFolds folds = folds(logs);
        EventVectors vectors = EventVectors.of(logs.points());
        try (MppGate gate = new MppGate(PERCEIVER, vectors)) {
            return new EnsembleExperiment(SUITE.name(), logs.points(), folds)
                    .train(gate, vectors)
                    .train(FAMILIARITY, new Familiarity(vectors))
                    .result(
                            "is the event a signal? phone logs, leave one persona out",
                            ENSEMBLES,
                            "Three quarters of the events are signals, so triggering always has a high F1: compare AUC and FTR.");
        }
    }

    /** Inner folds by kind of event: another persona's kinds of events are mostly new, so the held-out ones must be too. */
    static NestedFolds folds(KnowU logs) {
        return NestedFolds.leaveOneOut(logs.personas(), DecisionPoint.groups(logs.points()), INNER_FOLDS, SEED);
    }
}
