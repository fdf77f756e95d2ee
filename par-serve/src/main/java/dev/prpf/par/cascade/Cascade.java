package dev.prpf.par.cascade;

import dev.prpf.base.config.Rule;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers samples: the gate scores a sample first, and the reasoner runs only if it passes (PRPF §3.2). Below the gate's threshold the reasoner does
 * not run; the pool shrinks to the likely scenarios. An unusable perception makes the prediction malformed with the gate; without the gate the
 * reasoner works as without a perceiver. The caller closes both.
 *
 * @param perceiver may be null if neither gate nor compression is on
 */
public record Cascade(
        @Nullable Perceiver perceiver,
        Reasoner reasoner,
        FunctionPool pool,
        ScenarioCatalog catalog,
        Settings settings) {
    public Cascade {
        if (perceiver == null && settings.perceives()) {
            throw new IllegalArgumentException("gate and compress need a perceiver; settings = " + settings);
        }
    }

    /** Returns the cascade of the same models with another τ. */
    public Cascade withThreshold(double tau) {
        return new Cascade(perceiver, reasoner, pool, catalog, settings.withThreshold(tau));
    }

    /**
     * Predicts all samples, in order.
     *
     * @param predicted called once per sample as soon as its prediction is final, in any order, one at a time
     */
    public List<Prediction> predict(List<Sample> samples, Runnable predicted) {
        return reason(samples, perceive(samples), predicted);
    }

    /** Runs the first half of {@link #predict}: one perception per sample, in order; null without a perceiver. */
    public @Nullable List<Perceiver.Costed> perceive(List<Sample> samples) {
        return perceiver == null
                ? null
                : perceiver.perceiveCosted(
                        samples.stream().map(settings::perceived).toList());
    }

    /** Runs the second half of {@link #predict}. */
    public List<Prediction> reason(
            List<Sample> samples, @Nullable List<Perceiver.Costed> perceptions, Runnable predicted) {
        Prediction[] predictions = new Prediction[samples.size()];
        Map<Integer, PredictionCost> passed = new LinkedHashMap<>();
        List<Reasoner.Request> requests = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            Perceiver.Costed perceived = perceptions == null ? null : perceptions.get(i);
            Decision decision = settings.decide(perceived, pool, catalog);
            if (perceived != null && !decision.passes()) {
                predictions[i] = Prediction.silent(samples.get(i).id(), perceived);
                predicted.run();
            } else {
                passed.put(i, decision.cost());
                requests.add(new Reasoner.Request(
                        settings.shown(samples.get(i)), decision.perception(), decision.candidates()));
            }
        }
        List<Reasoner.Reasoning> reasonings = requests.isEmpty() ? List.of() : reasoner.reason(requests, predicted);
        int k = 0;
        for (Map.Entry<Integer, PredictionCost> one : passed.entrySet()) {
            Reasoner.Request request = requests.get(k);
            Reasoner.Reasoning reasoning = reasonings.get(k++);
            predictions[one.getKey()] = Prediction.reasoned(
                    request.sample().id(),
                    request.perception(),
                    reasoning,
                    one.getValue().plus(reasoning.cost()));
        }
        return List.of(predictions);
    }

    /**
     * The decision about one sample before the reasoner runs.
     *
     * @param perception null without a perceiver, or if its answer is unusable
     * @param passes whether the reasoner runs
     * @param candidates functions for the reasoner
     * @param cost of the perception
     */
    public record Decision(
            @Nullable Perception perception, boolean passes, CandidatePool candidates, PredictionCost cost) {}

    /**
     * The stages of the cascade that are on; with both off, "w/o MPP" of PRPF Table 2.
     *
     * @param gate whether samples under the threshold stay silent without the reasoner
     * @param compress whether the reasoner gets only the functions of the top-K scenarios
     * @param shortlist number of scenarios, K (PRPF §3.3: 5)
     * @param threshold τ: a sample passes iff its p_trigger is at least that
     * @param without context dimensions hidden from perceiver and reasoner
     */
    public record Settings(
            boolean gate, boolean compress, int shortlist, double threshold, List<ContextDimension> without) {
        public Settings {
            without = without.stream().distinct().sorted().toList();
            Rule.require(shortlist >= 1, "shortlist", shortlist, "at least 1");
            Rule.require(threshold >= 0 && threshold <= 1, "threshold", threshold, "in [0, 1]");
        }

        /** Creates settings with all context dimensions. */
        public Settings(boolean gate, boolean compress, int shortlist, double threshold) {
            this(gate, compress, shortlist, threshold, List.of());
        }

        /** Returns these settings with another τ. */
        public Settings withThreshold(double tau) {
            return new Settings(gate, compress, shortlist, tau, without);
        }

        /** Returns whether the trajectory is read. */
        public boolean readsTrace() {
            return !without.contains(ContextDimension.TRACE);
        }

        /** Decides about one sample: the gate opens at τ, and the pool shrinks to the top-K scenarios. */
        public Decision decide(Perceiver.@Nullable Costed perceived, FunctionPool pool, ScenarioCatalog catalog) {
            Perception perception = perceived == null ? null : perceived.usable();
            return new Decision(
                    perception,
                    !gate || perceived == null || (perception != null && perception.triggers(threshold)),
                    compress && perception != null
                            ? CandidatePool.ofTop(shortlist, perception, pool, catalog)
                            : CandidatePool.whole(pool),
                    perceived == null ? PredictionCost.NOTHING : PredictionCost.of(perceived.cost()));
        }

        private Sample shown(Sample sample) {
            Sample shown = sample;
            for (ContextDimension dimension : without) {
                shown = dimension.removedFrom(shown);
            }
            return shown;
        }

        /** Returns the sample for the perceiver. It needs at least one step, so a hidden trajectory becomes one blank text. */
        private Sample perceived(Sample sample) {
            Sample shown = shown(sample);
            return readsTrace() ? shown : shown.with(shown.context(), Trajectory.BLANK, shown.answers());
        }

        public boolean perceives() {
            return gate || compress;
        }
    }

    /** A dimension of a sample's context that an ablation removes (ProactiveMobile Table 7). */
    public enum ContextDimension {
        PROFILE,
        PHONE,
        WORLD,
        TRACE;

        /** Returns the sample with a blank text for this dimension, or with an empty trajectory. */
        public Sample removedFrom(Sample sample) {
            DeviceContext context = sample.context();
            return sample.with(
                    new DeviceContext(
                            this == PROFILE ? "" : context.profile(),
                            this == PHONE ? "" : context.phone(),
                            this == WORLD ? "" : context.world()),
                    this == TRACE ? new Trajectory(List.of()) : sample.trajectory(),
                    sample.answers());
        }
    }
}
