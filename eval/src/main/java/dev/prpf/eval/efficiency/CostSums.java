package dev.prpf.eval.efficiency;

import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sums over a run's predictions, each with its own cost: F_MPP of every sample, F_PAR of routed ones. A mean is that of PRPF Table 10, (1/N)
 * (sum of F_MPP + sum over routed samples of F_PAR). It is never r times a mean over other samples: routed prompts are longer. A value unknown
 * for one sample is unknown for the sum, except seconds: unmeasured samples of a route count as its measured mean.
 */
final class CostSums {
    private final @Nullable DecoderFacts decoder;
    private int samples;
    private int routed;
    private long prefixTokens;
    private @Nullable Long promptTokens = 0L;
    private @Nullable Long visualTokens = 0L;
    private @Nullable Long newTokens = 0L;
    private @Nullable Double eq31 = 0.0;
    private PredictionCost.Parts flops = PredictionCost.NOTHING.flops();
    private PredictionCost.Parts seconds = PredictionCost.NOTHING.seconds();
    private final Map<Prediction.Route, Clock> clocks = new EnumMap<>(Prediction.Route.class);

    /** Seconds of a route's samples; answers that an earlier process got from a server have none. */
    private static final class Clock {
        private int samples;
        private int measured;
        private double seconds;

        void add(@Nullable Double took) {
            samples++;
            if (took != null) {
                measured++;
                seconds += took;
            }
        }

        /** Returns the seconds of all samples of the route; NaN if none was measured. */
        double total() {
            return seconds / measured * samples;
        }
    }

    CostSums(@Nullable DecoderFacts decoder) {
        this.decoder = decoder;
    }

    void add(Prediction.Route route, PredictionCost cost) {
        samples++;
        flops = flops.plus(cost.flops());
        seconds = seconds.plus(cost.seconds());
        clocks.computeIfAbsent(route, unseen -> new Clock()).add(cost.seconds().total());
        Integer prompt = cost.promptTokens();
        Integer written = cost.newTokens();
        promptTokens = sum(promptTokens, prompt);
        visualTokens = sum(visualTokens, cost.visualTokens());
        newTokens = sum(newTokens, written);
        prefixTokens += cost.cachedTokens() == null ? 0 : cost.cachedTokens();
        boolean reasoned = route == Prediction.Route.REASONED;
        routed += reasoned ? 1 : 0;
        boolean ran = reasoned
                && !Integer.valueOf(0).equals(cost.forwardPasses()); // a prompt too long for the model is never read
        eq31 = sum(eq31, sum(perceiver(cost.flops()), ran ? reasoner(prompt, written) : Double.valueOf(0)));
    }

    private @Nullable Double reasoner(@Nullable Integer prompt, @Nullable Integer written) {
        return decoder == null || prompt == null || written == null ? null : decoder.eq31(prompt, written);
    }

    private static @Nullable Double sum(@Nullable Double one, @Nullable Double other) {
        return one == null || other == null ? null : one + other;
    }

    private static @Nullable Long sum(@Nullable Long tokens, @Nullable Integer more) {
        return tokens == null || more == null ? null : tokens + more;
    }

    private static @Nullable Double perceiver(PredictionCost.Parts parts) {
        return parts.frameEncoder() == null || parts.textEncoder() == null || parts.fusion() == null
                ? null
                : parts.frameEncoder() + parts.textEncoder() + parts.fusion();
    }

    /** Returns the number of samples sent to the reasoner; their share is r of PRPF eq. 32. */
    public int routed() {
        return routed;
    }

    /** Returns the tokens of all prompts, including those from the prefix cache. */
    public @Nullable Long promptTokens() {
        return promptTokens;
    }

    /** Returns the prompt tokens that are image tokens. */
    public @Nullable Long visualTokens() {
        return visualTokens;
    }

    /** Returns the tokens of all responses. */
    public @Nullable Long newTokens() {
        return newTokens;
    }

    /** Returns the prompt tokens that came from the prefix cache. */
    public long prefixTokens() {
        return prefixTokens;
    }

    /** Returns the mean floating-point operations of a sample, by part. */
    public PredictionCost.Parts flops() {
        return flops.times(1.0 / samples);
    }

    /** Returns the mean seconds of a sample, by part; the total is extrapolated per route from its measured samples. */
    public PredictionCost.Parts seconds() {
        PredictionCost.Parts means = seconds.times(1.0 / samples);
        double total = clocks.values().stream().mapToDouble(Clock::total).sum() / samples;
        return means.total() != null || Double.isNaN(total)
                ? means
                : new PredictionCost.Parts(
                        means.frameEncoder(),
                        means.textEncoder(),
                        means.fusion(),
                        means.prefill(),
                        means.decode(),
                        total);
    }

    /** Returns the number of samples without known seconds. */
    int untimed() {
        return clocks.values().stream()
                .mapToInt(clock -> clock.samples - clock.measured)
                .sum();
    }

    /** Returns the mean with F_PAR estimated as in PRPF eq. 31; null if model or tokens are unknown. */
    public @Nullable Double eq31() {
        return eq31 == null ? null : eq31 / samples;
    }
}
