package dev.prpf.eval.suite;

import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.ShippedEncoders;
import java.nio.file.Path;
import java.util.List;

/** KnowU-Bench's phone logs: is this event a signal of a routine, or noise? One persona is held out at a time. See docs/SUITES.md. */
public final class KnowUSuite {
    /** The suite's name on the command line. */
    public static final String NAME = "knowu";

    private static final int INNER_FOLDS = 5;
    private static final long SEED = 42;
    private static final String FAMILIARITY = "familiarity";

    /** The perceiver of the first suite, not tuned again; two of them are averaged, for time. */
    static final MppGate.Settings PERCEIVER = MppGate.PRIMARY.withSeeds(2);

    private KnowUSuite() {}

    /**
     * Reads the data, encodes them with BGE, trains and scores everything; a minute or two.
     *
     * @param folder holds user_logs
     * @throws dev.prpf.base.error.PrpfException 69 if a file is missing, 65 if one is not what it should be
     */
    public static SuiteResult run(Path folder) {
        KnowU logs = KnowU.read(folder);
        NestedFolds folds = folds(logs);
        EventVectors vectors = EventVectors.of(logs.points(), EncoderSpec.ofText(ShippedEncoders.DEFAULT));
        try (MppGate gate = new MppGate(PERCEIVER, vectors)) {
            return result(logs, folds, gate, vectors);
        }
    }

    /** Inner folds by kind of event: another persona's kinds of events are mostly new, so the held-out ones must be too. */
    static NestedFolds folds(KnowU logs) {
        List<String> kinds = logs.points().stream().map(DecisionPoint::group).toList();
        return NestedFolds.leaveOneOut(logs.personas(), kinds, INNER_FOLDS, SEED);
    }

    static SuiteResult result(KnowU logs, NestedFolds folds, GateTrainer perceiver, EventVectors vectors) {
        return new MixedGateSuite(
                        NAME, "is the event a signal? phone logs, leave one persona out", logs.points(), folds)
                .train(perceiver, vectors)
                .train(FAMILIARITY, new Familiarity(vectors))
                .result(
                        List.of(
                                List.of("MPP", "TF-IDF + LR", FAMILIARITY),
                                List.of("MPP", FAMILIARITY),
                                List.of("MPP", "TF-IDF + LR"),
                                List.of("TF-IDF + LR", FAMILIARITY)),
                        List.of("Three quarters of the events are signals, so triggering always has a high F1: compare"
                                + " AUC and FTR."));
    }
}
