package dev.prpf.par.generate;

import dev.prpf.par.engine.ImageInputs;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Generation.GenerationCost;
import dev.prpf.par.generate.Generation.PromptScores;
import dev.prpf.par.generate.Generation.TopLogprobs;
import dev.prpf.par.generate.SamplingParams.LogitChanges;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A response during generation. */
public final class Sequence {
    private static final long[] NOTHING = {};
    private static final long NEVER = Long.MAX_VALUE;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    /** Far below every logit, but above the mask of a constraint. */
    private static final double OUT_OF_REACH = -1e28;

    private final GenerationRequest request;
    private final long[] prompt;
    private final long[] keyed;
    private final SamplingParams params;
    private final SplittableRandom draws;
    private final @Nullable TokenConstraint constraint;
    private final int vocabulary;
    private final @Nullable ResponseText text;
    private final @Nullable BitSet seen;
    private final long[] ids;
    private final float[] logProbabilities;
    private final float[] samplingLogProbabilities;
    private final float[] policyLogProbabilities;
    private final List<TopLogprobs> top = new ArrayList<>();
    private final float[] promptLogProbabilities;
    private final List<TopLogprobs> promptTop = new ArrayList<>();
    private final Map<Integer, Integer> written = new HashMap<>();
    private int scored;
    private long deadline = NEVER;
    private int length;
    private GenerationCost cost = GenerationCost.NONE;
    private @Nullable FinishReason finish;
    private @Nullable RuntimeException failure;

    /**
     * @param vocabulary number of ids in the model's vocabulary
     * @param maxNewTokens maximum number of new tokens, at most the parameters'
     * @param constraint of this sequence only; null for a free response
     */
    Sequence(int vocabulary, GenerationRequest request, int maxNewTokens, @Nullable TokenConstraint constraint) {
        this.vocabulary = vocabulary;
        this.request = request;
        this.constraint = constraint;
        prompt = request.prompt().ids().clone();
        keyed = request.prompt().keyed();
        params = request.params();
        draws = draws(request.seed());
        text = params.ending().texts().isEmpty()
                ? null
                : new ResponseText(
                        params, Objects.requireNonNull(params.ending().text()), prompt);
        seen = params.repetitionPenalty() == 1 ? null : new BitSet();
        if (seen != null) {
            Arrays.stream(prompt).forEach(id -> seen.set(Math.toIntExact(id)));
        }
        ids = new long[maxNewTokens];
        logProbabilities = new float[maxNewTokens];
        samplingLogProbabilities = new float[maxNewTokens];
        policyLogProbabilities = new float[maxNewTokens];
        promptLogProbabilities = new float[params.promptLogprobs() ? prompt.length - 1 : 0];
    }

    /** Returns the random numbers of a seed. Seeds are often consecutive numbers, so the seed is mixed first; otherwise the streams would begin alike. */
    static SplittableRandom draws(long seed) {
        return new SplittableRandom(new SplittableRandom(seed).nextLong());
    }

    /** Returns the tenant: only its sequences share cached prompts, and tenants take turns in passes. */
    String tenant() {
        return request.tenant();
    }

    /** Returns the key that another sequence must have to reuse this prompt's cache entry. */
    Known known() {
        return new Known(tenant(), LongBuffer.wrap(keyed));
    }

    /** A tenant's prompt, as {@link Prompt#keyed}. */
    record Known(String tenant, LongBuffer prompt) {}

    long[] prompt() {
        return prompt;
    }

    long[] keyed() {
        return keyed;
    }

    ImageInputs images() {
        return request.prompt().images();
    }

    SamplingParams params() {
        return params;
    }

    @Nullable
    TokenConstraint constraint() {
        return constraint;
    }

    BitSet seen() {
        return seen == null ? new BitSet() : seen;
    }

    /** Returns the changes to the logits of the next token, by token. */
    Map<Integer, Double> shifts() {
        LogitChanges changes = params.changes();
        boolean early = length < changes.minNewTokens();
        if (!early && written.isEmpty()) {
            return changes.bias();
        }
        Map<Integer, Double> shifts = new HashMap<>(changes.bias());
        written.forEach((id, times) ->
                shifts.merge(id, -changes.presencePenalty() - changes.frequencyPenalty() * times, Double::sum));
        if (early) {
            params.ending().tokens().stream().filter(id -> id < vocabulary).forEach(id -> shifts.put(id, OUT_OF_REACH));
        }
        return shifts;
    }

    /** Returns the next uniform number in [0, 1). */
    double draw() {
        return draws.nextDouble();
    }

    int left() {
        return ids.length - length;
    }

    /** Returns the number of tokens in prompt and response so far. */
    int total() {
        return prompt.length + length;
    }

    long last() {
        return length == 0 ? prompt[prompt.length - 1] : ids[length - 1];
    }

    long[] tokens(int begin, int end) {
        long[] tokens = new long[end - begin];
        int ofPrompt = Math.max(0, Math.min(end, prompt.length) - begin);
        System.arraycopy(prompt, Math.min(begin, prompt.length), tokens, 0, ofPrompt);
        int from = begin + ofPrompt - prompt.length;
        if (ofPrompt < tokens.length) {
            System.arraycopy(ids, from, tokens, ofPrompt, tokens.length - ofPrompt);
        }
        return tokens;
    }

    /** Returns the number of new tokens so far. */
    public int length() {
        return length;
    }

    public long[] newTokens(int begin, int end) {
        return Arrays.copyOfRange(ids, begin, end);
    }

    /** Returns a range's log-probabilities under the model itself; NaN if not requested. */
    public float[] logProbabilities(int begin, int end) {
        return Arrays.copyOfRange(logProbabilities, begin, end);
    }

    /** Returns the likeliest tokens at the positions of a range of new tokens; empty if not requested. */
    public List<TopLogprobs> topLogprobs(int begin, int end) {
        return top.isEmpty() ? List.of() : List.copyOf(top.subList(begin, end));
    }

    /** Returns the log-probabilities of the prompt; null if not requested or not known yet. */
    public @Nullable PromptScores promptScores() {
        return params.promptLogprobs() && scored == promptLogProbabilities.length
                ? new PromptScores(promptLogProbabilities.clone(), promptTop)
                : null;
    }

    /** Adds the scores of the prompt's tokens that follow those scored already. */
    void scorePrompt(float[] logProbabilitiesOfNext, List<TopLogprobs> likeliest) {
        System.arraycopy(logProbabilitiesOfNext, 0, promptLogProbabilities, scored, logProbabilitiesOfNext.length);
        scored += logProbabilitiesOfNext.length;
        promptTop.addAll(likeliest);
    }

    /** Adds the likeliest tokens at the position of the next token. */
    void likeliest(TopLogprobs tokens) {
        top.add(tokens);
    }

    /** Records the number of prompt tokens from the prefix cache. */
    void cached(int tokens) {
        cost = cost.withCached(tokens);
    }

    /** Records a pass; {@code reads} if the pass prefilled a part of the prompt. */
    void took(boolean reads, double flops, double seconds) {
        cost = cost.withPass(reads, flops, seconds);
    }

    /** Returns the next tokens that the constraint forces, independent of the model. */
    long[] forced() {
        return constraint == null || left() == 0 ? NOTHING : asked(() -> known(constraint.forced(left())), NOTHING);
    }

    /** Does a slice of the constraint's work for the next token; returns whether the work is done. */
    boolean prepare() {
        return constraint == null || left() == 0 || asked(() -> constraint.prepare(left()), true);
    }

    private long[] known(long[] forced) {
        for (long id : forced) {
            if (id < 0 || id >= vocabulary) {
                throw new IllegalStateException(
                        "a constraint forces token " + id + "; the vocabulary ends at " + (vocabulary - 1));
            }
        }
        return forced;
    }

    /**
     * Returns the allowed next tokens, as {@link TokenConstraint#allowed}.
     *
     * @param everything the result without a constraint, or after it failed
     */
    long[] allowed(long[] everything) {
        return constraint == null
                ? everything
                : asked(() -> asWide(constraint.allowed(left()), everything.length), everything);
    }

    private static long[] asWide(long[] allowed, int words) {
        if (allowed.length != words) {
            throw new IllegalStateException("a constraint allows a set of " + allowed.length
                    + " words of 64 tokens; the vocabulary has " + words);
        }
        return allowed;
    }

    /** Calls the constraint; an exception fails only this sequence. */
    private <T> T asked(Supplier<T> question, T otherwise) {
        if (failure != null) {
            return otherwise;
        }
        try {
            return GenerationRequest.called(question);
        } catch (RuntimeException e) {
            fail(e);
            return otherwise;
        }
    }

    /**
     * Appends the next token.
     *
     * @param own log-probability under the model itself
     * @param sampling log-probability in the distribution it was drawn from
     * @param policy log-probability before truncation of that distribution
     */
    void append(long id, float own, float sampling, float policy) {
        ids[length] = id;
        logProbabilities[length] = own;
        samplingLogProbabilities[length] = sampling;
        policyLogProbabilities[length++] = policy;
        if (seen != null) {
            seen.set(Math.toIntExact(id));
        }
        if (params.changes().penalises()) {
            written.merge(Math.toIntExact(id), 1, Integer::sum);
        }
        if (constraint != null) {
            asked(
                    () -> {
                        constraint.accept(id);
                        return NOTHING;
                    },
                    NOTHING);
        }
        finish = finishAt(id);
    }

    private @Nullable FinishReason finishAt(long id) {
        if (params.ending().tokens().contains(Math.toIntExact(id))) {
            return FinishReason.END_TOKEN;
        }
        if (text != null) {
            text.add(id);
            if (text.stop() != null) {
                return FinishReason.STOP_TEXT;
            }
        }
        return length == ids.length ? FinishReason.LENGTH : null;
    }

    void end(FinishReason reason) {
        finish = reason;
    }

    /** Fails the sequence; the first cause is kept. */
    void fail(RuntimeException cause) {
        failure = failure == null ? cause : failure;
    }

    /** Returns the cause of the failure, or null. */
    public @Nullable RuntimeException failure() {
        return failure;
    }

    /** Sets a timeout; a century or more means no timeout. */
    void expireIn(Duration timeout) {
        deadline = timeout.compareTo(LONGEST) > 0 ? NEVER : System.nanoTime() + timeout.toNanos();
    }

    boolean expired() {
        return deadline != NEVER && System.nanoTime() - deadline >= 0;
    }

    /** Returns whether the sequence ended or failed. */
    public boolean done() {
        return finish != null || failure != null;
    }

    /** Returns the tokens generated so far. */
    public Generation generation() {
        return new Generation(
                Arrays.copyOf(ids, length),
                Arrays.copyOf(logProbabilities, length),
                Arrays.copyOf(samplingLogProbabilities, length),
                Arrays.copyOf(policyLogProbabilities, length),
                finish == null ? FinishReason.CANCELLED : finish,
                cost);
    }
}
