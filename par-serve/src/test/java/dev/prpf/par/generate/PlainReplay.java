package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.SamplingParams.Sampling;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Holds what was generated to the plain reference: each token is what {@link PlainGenerator}'s arithmetic chooses after the tokens before it,
 * with the same draw. Where two logits, or a draw and a boundary, lie closer than kernels agree, either token is right; these are counted.
 */
public final class PlainReplay {
    private static final double CLOSE = 1e-4;
    private static final float CLOSE_LOGARITHM = 1e-4f;
    private static final float NEVER = -1e30f;

    private final CausalLm decoder;
    private int tokens;
    private int divergences;

    public PlainReplay(CausalLm decoder) {
        this.decoder = decoder;
    }

    /** Tokens that were compared. */
    public int tokens() {
        return tokens;
    }

    /** Returns the number of choices that were too close to call. */
    public int divergences() {
        return divergences;
    }

    /**
     * A request to replay.
     *
     * @param positions most positions of a sequence
     */
    public record Asked(
            long[] prompt,
            SamplingParams params,
            long seed,
            @Nullable Supplier<? extends TokenConstraint> constraint,
            int positions) {
        int most() {
            return Math.min(params.maxNewTokens(), positions - prompt.length + 1);
        }

        GenerationSettings settings() {
            return new GenerationSettings(params, 1);
        }
    }

    /** The choice of the plain arithmetic, and its margin over the next one. */
    private record Choice(int id, double margin) {}

    /** Fails if a generation differs from the sequence generated separately, up to its length. */
    public void require(Asked asked, Generation actual) {
        TokenConstraint constraint =
                asked.constraint() == null ? null : asked.constraint().get();
        SplittableRandom draws = Sequence.draws(asked.seed());
        int begin = asked.prompt().length;
        long[] whole = Arrays.copyOf(asked.prompt(), begin + actual.ids().length);
        System.arraycopy(actual.ids(), 0, whole, begin, actual.ids().length);
        float[][] logits = whole.length == begin
                ? new float[0][]
                : Outputs.logits(decoder, Arrays.copyOf(whole, whole.length - 1));
        for (int t = begin; t < whole.length; t++) {
            float[] left = constrained(logits[t - 1], constraint, asked.most() - (t - begin));
            requireToken(asked, actual, Arrays.copyOf(whole, t), new Logits(logits[t - 1], left), draws.nextDouble());
            if (constraint != null) {
                constraint.accept(whole[t]);
            }
            boolean last = t == whole.length - 1;
            FinishReason finish = PlainGenerator.finish(
                    Arrays.copyOf(whole, t + 1), begin, asked.params().ending());
            assertThat(finish).as("after token %d of %s", t, actual.finish()).isEqualTo(expected(actual, last));
        }
        assertThat(actual.ids()).hasSizeLessThanOrEqualTo(asked.most());
        if (actual.finish() == FinishReason.LENGTH) {
            assertThat(actual.ids()).hasSize(asked.most());
        }
    }

    /** Returns the expected reason for the end; {@link FinishReason#LENGTH} without one. */
    private static FinishReason expected(Generation actual, boolean last) {
        boolean ended = actual.finish() == FinishReason.END_TOKEN || actual.finish() == FinishReason.STOP_TEXT;
        return ended && last ? actual.finish() : FinishReason.LENGTH;
    }

    /** Logits of the model, and after the constraint. */
    private record Logits(float[] own, float[] left) {}

    private void requireToken(Asked asked, Generation actual, long[] before, Logits logits, double u) {
        int t = before.length - asked.prompt().length;
        int id = (int) actual.ids()[t];
        double own = Math.log(PlainGenerator.softmax(PlainGenerator.doubles(logits.own()))[id]);
        assertThat(actual.logProbabilities()[t]).isCloseTo((float) own, within(CLOSE_LOGARITHM));
        double[] shares = PlainGenerator.shares(logits.left(), before, asked.settings());
        double[] uncut = PlainGenerator.shares(logits.left(), before, PlainGenerator.uncut(asked.settings()));
        Choice choice = choice(asked, before, logits.left(), shares, u);
        tokens++;
        boolean alike = choice.id() == id
                && Math.abs(actual.samplingLogProbabilities()[t] - Math.log(shares[id])) <= CLOSE
                && Math.abs(actual.policyLogProbabilities()[t] - Math.log(uncut[id])) <= CLOSE;
        if (!alike) {
            divergences++;
            assertThat(choice.margin())
                    .as(
                            "token %d is %d (%s, %s), the plain reference has %s (%s, %s)",
                            t,
                            id,
                            actual.samplingLogProbabilities()[t],
                            actual.policyLogProbabilities()[t],
                            choice,
                            Math.log(shares[id]),
                            Math.log(uncut[id]))
                    .isLessThan(CLOSE);
        }
    }

    private static Choice choice(Asked asked, long[] before, float[] left, double[] shares, double u) {
        double[] x = PlainGenerator.penalised(left, before, asked.params().repetitionPenalty());
        int[] order = PlainGenerator.order(x);
        Sampling sampling = asked.params().sampling();
        if (sampling == null) {
            return new Choice(order[0], x[order[0]] - x[order[1]]);
        }
        boolean sorted = sampling.topK() > 0 || sampling.topP() < 1;
        int[] drawn = sorted ? order : IntStream.range(0, x.length).toArray();
        double sum = 0;
        int i = -1;
        while (u >= sum) {
            sum += shares[drawn[++i]];
        }
        double margin = Math.min(Math.min(sum - u, u - sum + shares[drawn[i]]), cuts(x, order, sampling));
        if (sorted) {
            margin = Math.min(margin, i == 0 ? 1 : x[order[i - 1]] - x[order[i]]);
            margin = Math.min(margin, i == x.length - 1 ? 1 : x[order[i]] - x[order[i + 1]]);
        }
        return new Choice(drawn[i], margin);
    }

    /** How close the nearest token is to being cut off, or to being kept. */
    private static double cuts(double[] x, int[] order, Sampling sampling) {
        double[] p = PlainGenerator.softmax(
                Arrays.stream(x).map(v -> v / sampling.temperature()).toArray());
        int k = sampling.topK() == 0 ? x.length : Math.min(sampling.topK(), x.length);
        double margin = k == x.length ? 1 : x[order[k - 1]] - x[order[k]];
        double all = Arrays.stream(order).limit(k).mapToDouble(id -> p[id]).sum();
        double before = 0;
        for (int i = 0; i < k; i++) {
            if (sampling.topP() < 1) {
                margin = Math.min(margin, Math.abs(before / all - sampling.topP()));
            }
            if (sampling.minP() > 0) {
                margin = Math.min(margin, Math.abs(p[order[i]] / p[order[0]] - sampling.minP()));
            }
            before += p[order[i]];
        }
        return margin;
    }

    private static float[] constrained(float[] logits, @Nullable TokenConstraint constraint, int left) {
        if (constraint == null) {
            return logits;
        }
        float[] kept = new float[logits.length];
        Arrays.fill(kept, NEVER);
        long[] forced = constraint.forced(left);
        List<Integer> ids = forced.length > 0
                ? List.of((int) forced[0])
                : BitSet.valueOf(constraint.allowed(left)).stream()
                        .filter(id -> id < logits.length)
                        .boxed()
                        .toList();
        ids.forEach(id -> kept[id] = logits[id]);
        return kept;
    }
}
