package dev.prpf.eval.suite;

import java.util.List;
import java.util.function.BiFunction;

/**
 * A suite that trains and scores gates: is help due?
 *
 * @param encoders the text encoders that its tables are of; one that has a single one takes a single one
 * @param protocol reads the data, encodes their texts, trains and scores everything, which takes minutes; throws 69 if a file is missing,
 *     65 if one is not what it should be
 */
public record GateSuite(
        String name,
        String about,
        DataSource source,
        String place,
        List<String> encoders,
        BiFunction<DataFolder, List<SuiteEncoder>, SuiteResult> protocol)
        implements Suite {
    /** English encoders side by side. */
    static final List<String> ENGLISH = List.of("bge-small-en-v1.5", "e5-small-v2", "all-minilm-l6-v2");

    /** Every such suite. */
    public static List<GateSuite> all() {
        return List.of(ProactiveBench.SUITE, ProactiveBenchTasks.SUITE, ContextAgent.SUITE, KnowU.SUITE);
    }
}
