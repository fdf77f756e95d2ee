package dev.prpf.eval.suite;

import dev.prpf.data.encode.text.TextEncoder;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * A suite that trains and scores gates: is help due?
 *
 * @param protocol reads the data, encodes their texts, trains and scores everything, which takes minutes; throws 69 if a file is missing,
 *     65 if one is not what it should be
 */
public record GateSuite(
        String name,
        String about,
        DataSource source,
        String place,
        BiFunction<DataFolder, Supplier<TextEncoder>, SuiteResult> protocol)
        implements Suite {
    /** Every such suite. */
    public static List<GateSuite> all() {
        return List.of(ProactiveBench.SUITE, ProactiveBenchTasks.SUITE, ContextAgent.SUITE, KnowU.SUITE);
    }
}
