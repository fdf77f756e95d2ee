package dev.prpf.par.generate;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoublePredicate;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Generation as one would write it down: no cache, no batch, one token after the other, arithmetic in Java. */
final class PlainGenerator {
    private PlainGenerator() {}

    static Generation generate(CausalLm decoder, long[] prompt, long seed, GenerationSettings settings) {
        SplittableRandom draws = Sequence.draws(seed);
        long[] whole = prompt.clone();
        List<Float> own = new ArrayList<>();
        List<Float> drawn = new ArrayList<>();
        List<Float> uncut = new ArrayList<>();
        FinishReason finish = FinishReason.LENGTH;
        int room = decoder.config().maxPositions() - prompt.length + 1;
        while (own.size() < Math.min(settings.params().maxNewTokens(), room) && finish == FinishReason.LENGTH) {
            float[] logits = Outputs.logits(decoder, whole)[whole.length - 1];
            double[] shares = shares(logits, whole, settings);
            int id = settings.params().sampling() == null
                    ? best(shares)
                    : draw(shares, logits, draws.nextDouble(), settings);
            own.add((float) Math.log(softmax(doubles(logits))[id]));
            drawn.add((float) Math.log(shares[id]));
            uncut.add((float) Math.log(shares(logits, whole, uncut(settings))[id]));
            whole = Arrays.copyOf(whole, whole.length + 1);
            whole[whole.length - 1] = id;
            finish = finish(whole, prompt.length, settings.params().ending());
        }
        return new Generation(
                Arrays.copyOfRange(whole, prompt.length, whole.length),
                floats(own),
                floats(drawn),
                floats(uncut),
                finish);
    }

    /** Returns settings with the same temperature and penalty, without top-k, top-p and min-p. */
    static GenerationSettings uncut(GenerationSettings settings) {
        Sampling sampling = settings.params().sampling();
        return new GenerationSettings(
                new SamplingParams(
                        settings.params().maxNewTokens(),
                        sampling == null ? null : new Sampling(sampling.temperature(), 0, 1),
                        settings.params().repetitionPenalty(),
                        settings.params().ending()),
                settings.batchSize());
    }

    /** {@link FinishReason#LENGTH} where nothing ends it. */
    static FinishReason finish(long[] whole, int prompt, StoppingCriteria ending) {
        if (ending.tokens().contains((int) whole[whole.length - 1])) {
            return FinishReason.END_TOKEN;
        }
        Function<long[], String> text = ending.text();
        if (text != null) {
            String written = text.apply(Arrays.copyOfRange(whole, prompt, whole.length));
            return ending.before(written).equals(written) ? FinishReason.LENGTH : FinishReason.STOP_TEXT;
        }
        return FinishReason.LENGTH;
    }

    /** Returns the probabilities of all tokens after penalty and sampling; without sampling only the likeliest. */
    static double[] shares(float[] logits, long[] seen, GenerationSettings settings) {
        double[] x = penalised(logits, seen, settings.params().repetitionPenalty());
        Sampling sampling = settings.params().sampling();
        if (sampling == null) {
            double[] one = new double[x.length];
            one[best(x)] = 1;
            return one;
        }
        double[] p =
                softmax(Arrays.stream(x).map(v -> v / sampling.temperature()).toArray());
        int[] order = order(p);
        if (sampling.topK() > 0) {
            double least = p[order[Math.min(sampling.topK(), p.length) - 1]];
            keep(p, v -> v >= least);
        }
        p = normalised(p);
        double before = 0;
        for (int id : order) {
            double share = p[id];
            p[id] = before < sampling.topP() ? share : 0;
            before += share;
        }
        double least = sampling.minP() * Arrays.stream(p).max().orElseThrow();
        keep(p, v -> v >= least);
        return normalised(p);
    }

    static double[] penalised(float[] logits, long[] seen, double penalty) {
        double[] x = doubles(logits);
        Arrays.stream(seen)
                .distinct()
                .forEach(id -> x[(int) id] = x[(int) id] < 0 ? x[(int) id] * penalty : x[(int) id] / penalty);
        return x;
    }

    private static void keep(double[] p, DoublePredicate kept) {
        for (int i = 0; i < p.length; i++) {
            p[i] = kept.test(p[i]) ? p[i] : 0;
        }
    }

    /** Likeliest first where something was sorted for being cut off, else in their own order. */
    private static int draw(double[] shares, float[] logits, double u, GenerationSettings settings) {
        @Nullable Sampling sampling = settings.params().sampling();
        boolean sorted = sampling != null && (sampling.topK() > 0 || sampling.topP() < 1);
        int[] order = sorted ? order(shares) : IntStream.range(0, logits.length).toArray();
        double sum = 0;
        for (int id : order) {
            sum += shares[id];
            if (u < sum) {
                return id;
            }
        }
        throw new IllegalStateException("shares add up to " + sum);
    }

    static int[] order(double[] values) {
        return IntStream.range(0, values.length)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer i) -> -values[i]))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private static int best(double[] values) {
        return order(values)[0];
    }

    static double[] doubles(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
    }

    static double[] softmax(double[] values) {
        double max = Arrays.stream(values).max().orElseThrow();
        return normalised(Arrays.stream(values).map(v -> Math.exp(v - max)).toArray());
    }

    private static double[] normalised(double[] values) {
        double sum = Arrays.stream(values).sum();
        return Arrays.stream(values).map(v -> v / sum).toArray();
    }

    private static float[] floats(List<Float> values) {
        float[] result = new float[values.size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = values.get(i);
        }
        return result;
    }
}
