package dev.prpf.par.generate;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One response as it is written. */
final class Sequence {
    private static final long[] NOTHING = {};

    private final GenerationRequest request;
    private final StoppingCriteria ending;
    private final SplittableRandom draws;
    private final @Nullable TokenConstraint constraint;
    private final @Nullable StopStringMatcher stop;
    private final @Nullable BitSet seen;
    private final long[] ids;
    private final float[] logProbabilities;
    private final float[] samplingLogProbabilities;
    private final float[] policyLogProbabilities;
    private int length;
    private @Nullable FinishReason finish;

    Sequence(GenerationRequest request, long seed, GenerationSettings settings, int maxNewTokens) {
        this.request = request;
        ending = settings.ending();
        draws = draws(seed);
        constraint = request.constraint() == null ? null : request.constraint().get();
        stop = ending.texts().isEmpty() ? null : new StopStringMatcher(ending, request.prompt());
        seen = settings.repetitionPenalty() == 1 ? null : new BitSet();
        if (seen != null) {
            Arrays.stream(request.prompt()).forEach(id -> seen.set(Math.toIntExact(id)));
        }
        ids = new long[maxNewTokens];
        logProbabilities = new float[maxNewTokens];
        samplingLogProbabilities = new float[maxNewTokens];
        policyLogProbabilities = new float[maxNewTokens];
    }

    /** Of one row, the same whatever else is decoded beside it: seeds are often neighbours, what their streams begin with must not be. */
    static SplittableRandom draws(long seed) {
        return new SplittableRandom(new SplittableRandom(seed).nextLong());
    }

    long[] prompt() {
        return request.prompt();
    }

    @Nullable
    TokenConstraint constraint() {
        return constraint;
    }

    /** Tokens of prompt and response. */
    BitSet seen() {
        return seen == null ? new BitSet() : seen;
    }

    /** The next uniform number in [0, 1). */
    double draw() {
        return draws.nextDouble();
    }

    int maxNewTokens() {
        return ids.length;
    }

    int left() {
        return ids.length - length;
    }

    long last() {
        return ids[length - 1];
    }

    /** Tokens that come next whatever the model says. */
    long[] forced() {
        return constraint == null ? NOTHING : constraint.forced(left());
    }

    /**
     * Takes the next token.
     *
     * @param own its log-probability under the model itself
     * @param sampling in the distribution it was drawn from
     * @param policy in that distribution before anything was cut off
     */
    void append(long id, float own, float sampling, float policy) {
        ids[length] = id;
        logProbabilities[length] = own;
        samplingLogProbabilities[length] = sampling;
        policyLogProbabilities[length++] = policy;
        if (seen != null) {
            seen.set(Math.toIntExact(id));
        }
        if (constraint != null) {
            constraint.accept(id);
        }
        finish = finishAt(id);
    }

    private @Nullable FinishReason finishAt(long id) {
        if (ending.tokens().contains(Math.toIntExact(id))) {
            return FinishReason.END_TOKEN;
        }
        if (stop != null && stop.stopsAt(id)) {
            return FinishReason.STOP_TEXT;
        }
        return length == ids.length ? FinishReason.LENGTH : null;
    }

    boolean done() {
        return finish != null;
    }

    /** As far as it came. */
    Generation generation() {
        return new Generation(
                Arrays.copyOf(ids, length),
                Arrays.copyOf(logProbabilities, length),
                Arrays.copyOf(samplingLogProbabilities, length),
                Arrays.copyOf(policyLogProbabilities, length),
                finish == null ? FinishReason.CANCELLED : finish);
    }
}
