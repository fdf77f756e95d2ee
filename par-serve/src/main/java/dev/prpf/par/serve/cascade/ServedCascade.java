package dev.prpf.par.serve.cascade;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.policy.InterventionPolicy;
import dev.prpf.par.serve.policy.InterventionPolicy.Admission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs the cascade for one sample: policy, perceiver, gate, reasoner, policy. Thread-safe. */
public final class ServedCascade {
    /** The probability was below the threshold. */
    static final String BELOW_THRESHOLD = "below-threshold";

    /** No outcome: an error, or the client disconnected. */
    static final String FAILED = "failed";

    private final Parts parts;
    private final int shortlist;

    /**
     * Components of the cascade; the caller closes them.
     *
     * @param perceiver reads screenshots also where it does not score
     * @param reasoner null where samples are only scored
     * @param threshold τ; not used without a perceiver
     */
    public record Parts(
            PerceiverService perceiver,
            @Nullable ServedReasoner reasoner,
            FunctionPool pool,
            ScenarioCatalog catalog,
            double threshold,
            InterventionPolicy policy) {
        public Parts {
            if (!(threshold >= 0 && threshold <= 1)) {
                throw new UsageException("--threshold = " + threshold + ", must be in [0, 1]");
            }
        }
    }

    public ServedCascade(Parts parts, CascadeSettings settings) {
        this.parts = parts;
        shortlist = settings.shortlist();
    }

    Parts parts() {
        return parts;
    }

    /**
     * A request to the cascade.
     *
     * @param threshold τ of the request; null for the server's
     * @param fields of the body that contained the sample
     * @param functions functions that the client calls itself; a recommended call of one is not an intervention
     */
    record Ask(
            InterventionPolicy.Moment moment,
            @Nullable Double threshold,
            MomentFields fields,
            List<FunctionSpec> functions) {
        Ask(InterventionPolicy.Moment moment, @Nullable Double threshold, MomentFields fields) {
            this(moment, threshold, fields, List.of());
        }

        /** Adds the client's functions to the pool's functions; removes the pool's if the user asked. */
        CandidatePool candidates(CandidatePool found) {
            if (functions.isEmpty()) {
                return found;
            }
            List<FunctionSpec> all = new ArrayList<>(moment.passive() ? List.of() : found.functions());
            all.addAll(functions);
            return new CandidatePool(moment.passive() ? List.of() : found.scenarios(), all);
        }

        boolean isOwnCall(List<Recommendation> recommendations) {
            String first = recommendations.stream()
                    .flatMap(one -> one.names().stream())
                    .findFirst()
                    .orElse(null);
            return functions.stream().anyMatch(function -> function.name().equals(first));
        }

        /** Returns the readable part of the sample, with the question as its last step. */
        Sample readable(Admission admission) {
            Sample admitted = admission.sample();
            String question = moment.question();
            if (question == null) {
                return admitted;
            }
            List<TraceStep> steps = new ArrayList<>(admitted.trajectory().steps());
            if (admitted.trajectory().equals(Trajectory.BLANK)) {
                steps.clear();
            }
            steps.add(new TraceStep.Caption(question));
            return admitted.with(admitted.context(), new Trajectory(steps), admitted.answers());
        }

        /** Returns the error for an image that cannot be decoded, naming its field, or the failure itself. */
        private RuntimeException refusal(Sample readable, InvalidDataException failure) {
            UnreadableImage unreadable = UnreadableImage.in(readable);
            if (unreadable == null) {
                return failure;
            }
            String place = fields.imageField(moment.sample(), unreadable.image());
            return ApiException.invalid(place, place == null ? unreadable.why() : place + ": " + unreadable.why());
        }
    }

    private static <T> T refusing(Ask ask, Sample readable, Supplier<T> work) {
        try {
            return work.get();
        } catch (InvalidDataException e) {
            throw ask.refusal(readable, e);
        }
    }

    /** Returns τ for a request and its user; 0 without a perceiver. */
    double threshold(Ask ask, Admission admission) {
        double tau = ask.threshold() == null ? parts.threshold() : ask.threshold();
        return parts.perceiver().perceives() ? admission.threshold(tau) : 0;
    }

    PerceiveAnswer perceive(Ask ask, Client client) {
        return perceive(
                ask, sample -> parts.perceiver().perceive(client, sample).perception());
    }

    /** @param perceiving scores the readable part */
    PerceiveAnswer perceive(Ask ask, Function<Sample, Perception> perceiving) {
        if (!parts.perceiver().perceives()) {
            throw PerceiverService.noPerceiver();
        }
        Admission admission = parts.policy().admit(ask.moment());
        double threshold = threshold(ask, admission);
        Perception perception;
        try {
            perception = refusing(ask, admission.sample(), () -> perceiving.apply(admission.sample()));
        } catch (RuntimeException | Error e) {
            parts.policy().record(admission, outcome(null, threshold, FAILED), null);
            throw e;
        }
        String silence = silence(admission, perception.triggers(threshold));
        parts.policy().record(admission, outcome(perception, threshold, silence), null);
        return new PerceiveAnswer(
                perception.pTrigger(),
                silence == null,
                threshold,
                perception.scenarios(),
                admission.withheld(),
                silence,
                null);
    }

    private static InterventionPolicy.Outcome outcome(
            @Nullable Perception perception, double threshold, @Nullable String silence) {
        return new InterventionPolicy.Outcome(perception, threshold, silence, List.of(), false);
    }

    /** Returns why nothing may be recommended: the policy's reason, or a closed gate; null if something may. */
    static @Nullable String silence(Admission admission, boolean passes) {
        return admission.silence() != null ? admission.silence() : passes ? null : BELOW_THRESHOLD;
    }

    /** Decides about a request like {@code eval run}, with the τ of its user. */
    Cascade.Decision decide(Perceiver.@Nullable Costed perceived, double threshold) {
        return new Cascade.Settings(true, true, shortlist, threshold).decide(perceived, parts.pool(), parts.catalog());
    }

    /**
     * Recommends actions for a sample.
     *
     * @param caller API key, for fair turns of the reasoner
     * @throws ApiException 503 without a reasoner, or without a perceiver unless the user asked; else as perceiver and reasoner
     */
    RecommendAnswer recommend(String caller, Ask ask, Audience audience) {
        ServedReasoner reasoner = reasoner();
        if (!parts.perceiver().perceives() && !ask.moment().passive()) {
            throw PerceiverService.noPerceiver();
        }
        Admission admission = parts.policy().admit(ask.moment());
        RecommendTurn turn = new RecommendTurn(this, ask, admission, audience);
        try {
            return refusing(ask, turn.sample(), () -> turn.answer(reasoner, caller));
        } finally {
            turn.end();
        }
    }

    /** Returns the reasoner, or throws 503. */
    ServedReasoner reasoner() {
        ServedReasoner reasoner = parts.reasoner();
        if (reasoner == null) {
            throw ApiException.unavailable(
                    null, "no reasoner was loaded: start the server with --reasoner DIR or --remote FILE");
        }
        return reasoner;
    }

    /**
     * The answer of {@code /v1/perceive} and of a session's frame.
     *
     * @param pTrigger the perceiver's probability that help is due
     * @param trigger whether help is due and allowed
     * @param threshold τ that it was compared with
     * @param withheld names of signals that the user's policy withholds
     * @param silence why there is no trigger; null if there is one
     * @param steps of the session so far; absent outside of a session
     */
    record PerceiveAnswer(
            double pTrigger,
            boolean trigger,
            double threshold,
            Map<String, Double> scenarios,
            List<String> withheld,
            @Nullable String silence,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long steps) {
        PerceiveAnswer after(long stepsSoFar) {
            return new PerceiveAnswer(pTrigger, trigger, threshold, scenarios, withheld, silence, stepsSoFar);
        }
    }

    /**
     * The answer of {@code /v1/recommend} and of a question in a session.
     *
     * @param route whether the gate kept the sample from the reasoner
     * @param pTrigger null where nothing was perceived
     * @param scenarios empty where nothing was perceived
     * @param candidateFunctions names of the functions that the response may call
     * @param response the reasoner's text; null if it did not run, or if its text may not be shown
     * @param recommendations {@code {"instruction", "functions"}} as in a record; empty is silence; null is a malformed response
     * @param finish why the response ended; null without a response
     * @param cost in the format of a line of {@code eval run}
     * @param withheld names of signals that the user's policy withholds
     * @param silence why nothing is recommended; null where something is
     */
    record RecommendAnswer(
            Prediction.Route route,
            @Nullable Double pTrigger,
            double threshold,
            Map<String, Double> scenarios,
            List<String> candidateFunctions,
            @Nullable String response,
            @Nullable List<JsonNode> recommendations,
            Prediction.@Nullable Finish finish,
            PredictionCost cost,
            List<String> withheld,
            @Nullable String silence) {}

    /** An image with a valid header and corrupt pixels, and why it cannot be decoded. */
    record UnreadableImage(TraceStep.Screenshot image, String why) {
        /** Returns a sample's first image that cannot be decoded; null if all can. */
        static @Nullable UnreadableImage in(Sample sample) {
            for (TraceStep.Screenshot shot : sample.trajectory().screenshots()) {
                try {
                    if (DataUrl.is(shot.path())) {
                        Pixels.read(DataUrl.bytes(shot.path()));
                    }
                } catch (InvalidDataException e) {
                    return new UnreadableImage(shot, String.valueOf(e.getMessage()));
                }
            }
            return null;
        }
    }
}
