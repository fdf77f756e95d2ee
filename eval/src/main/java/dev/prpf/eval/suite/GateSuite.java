package dev.prpf.eval.suite;

import dev.prpf.data.encode.text.TextEncoder;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A suite that trains and scores gates, which decide whether help is due.
 *
 * @param encoders default text encoders; a suite with one default accepts one encoder only
 * @param protocol reads the data, encodes texts, trains and scores, which takes minutes; throws 69 if a file is missing, 65 if
 *     one is invalid
 */
public record GateSuite(
        String name,
        String about,
        DataSource source,
        String place,
        List<String> encoders,
        BiFunction<DataFolder, List<SuiteEncoder>, SuiteResult> protocol)
        implements Suite {
    /** The English encoders, used together. */
    static final List<String> ENGLISH = List.of("bge-small-en-v1.5", "e5-small-v2", "all-minilm-l6-v2");

    public static List<GateSuite> all() {
        return List.of(ProactiveBench.SUITE, ProactiveBenchTasks.SUITE, ContextAgent.SUITE, KnowU.SUITE);
    }

    @Override
    public SuiteResult score(SuiteRun run) {
        EncoderChoice choice = run.options(this, EncoderOptions.class).choice(this);
        DataFolder data = run.data(this);
        SuiteResult result = protocol.apply(data, choice.encoders().get());
        return choice.note() == null ? result : result.withNote(choice.note());
    }

    /** Options that choose the text encoders. */
    public interface EncoderOptions extends SuiteOptions {
        /** Returns the encoders to use for a suite; throws 2 for a choice that the suite does not take. */
        EncoderChoice choice(GateSuite suite);
    }

    /**
     * The text encoders of a run.
     *
     * @param encoders throws 69 if the files of an encoder are missing
     * @param note a note for readers of the tables if a default encoder is replaced, else null
     */
    public record EncoderChoice(Supplier<List<SuiteEncoder>> encoders, @Nullable String note) {}

    /**
     * A frozen text encoder for a suite's gates.
     *
     * @param name its name on the command line and in tables
     * @param opened opens the encoder, which is closed after encoding the texts
     */
    public record SuiteEncoder(String name, Supplier<TextEncoder> opened) {}
}
