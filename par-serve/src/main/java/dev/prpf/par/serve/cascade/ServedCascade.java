package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.TraceStep;
import dev.prpf.data.Trajectory;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.policy.InterventionPolicy;
import dev.prpf.par.serve.policy.InterventionPolicy.Admission;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The cascade for one moment at a time: policy, perceiver, gate, reasoner, policy. For any number of threads. */
public final class ServedCascade {
    /** The gate kept silent. */
    static final String BELOW_THRESHOLD = "below-threshold";

    /** Nothing came of it: an error, or the client went away. */
    static final String FAILED = "failed";

    private final Parts parts;
    private final int topK;

    /**
     * What it is made of; all stay the caller's to close.
     *
     * @param perceiver reads screenshots where it does not perceive
     * @param reasoner null where moments are only perceived
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

    /** @throws PrpfException 2 for a K beyond the catalogue's scenarios */
    public ServedCascade(Parts parts, CascadeSettings settings) {
        if (settings.topK() > parts.catalog().size()) {
            throw new UsageException("--top-k = " + settings.topK() + ", the catalogue has "
                    + parts.catalog().size() + " scenarios: a shortlist has at most as many");
        }
        this.parts = parts;
        topK = settings.topK();
    }

    Parts parts() {
        return parts;
    }

    /**
     * What is asked.
     *
     * @param threshold τ that the request brought; null for the server's
     * @param fields that the moment came in
     */
    record Ask(InterventionPolicy.Moment moment, @Nullable Double threshold, MomentFields fields) {
        /** What may be read, and the question behind it. */
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

        private ApiException refusal(UnreadablePicture unreadable) {
            String place = fields.pictureField(moment.sample(), unreadable.picture());
            String why = String.valueOf(unreadable.getMessage());
            return ApiException.invalid(place, place == null ? why : place + ": " + why);
        }
    }

    private static <T> T refusing(Ask ask, Supplier<T> work) {
        try {
            return work.get();
        } catch (UnreadablePicture e) {
            throw ask.refusal(e);
        }
    }

    /** τ for a request and its user; without a perceiver nothing is kept back. */
    double threshold(Ask ask, Admission admission) {
        double tau = ask.threshold() == null ? parts.threshold() : ask.threshold();
        return parts.perceiver().perceives() ? admission.threshold(tau) : 0;
    }

    /** Whether help is due in a moment. */
    PerceiveAnswer perceive(Ask ask, Client client) {
        return perceive(
                ask, sample -> parts.perceiver().perceive(client, sample).perception());
    }

    /** @param perceiving of what may be read */
    PerceiveAnswer perceive(Ask ask, Function<Sample, Perception> perceiving) {
        if (!parts.perceiver().perceives()) {
            throw PerceiverService.noPerceiver();
        }
        Admission admission = parts.policy().admit(ask.moment());
        double threshold = threshold(ask, admission);
        Perception perception = null;
        String silence = FAILED;
        try {
            perception = refusing(ask, () -> perceiving.apply(admission.sample()));
            silence = silence(admission, perception.triggers(threshold));
        } finally {
            parts.policy().record(admission, new InterventionPolicy.Outcome(perception, threshold, silence, List.of()));
        }
        return new PerceiveAnswer(
                perception.pTrigger(),
                silence == null,
                threshold,
                perception.scenarios(),
                admission.withheld(),
                silence);
    }

    /** Returns why nothing may be recommended: the policy's reason, or a closed gate; null if something may. */
    static @Nullable String silence(Admission admission, boolean passes) {
        return admission.silence() != null ? admission.silence() : passes ? null : BELOW_THRESHOLD;
    }

    /** Decides about a request as {@code eval run} does, with the τ of its user. */
    Cascade.Decision decide(Perceiver.@Nullable Costed perceived, double threshold) {
        return new Cascade.Settings(true, true, topK, threshold).decide(perceived, parts.pool(), parts.catalog());
    }

    /**
     * What to do in a moment.
     *
     * @param caller whose turn the reasoner takes
     * @param audience is told on the way
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
            return refusing(ask, () -> turn.answer(reasoner, caller));
        } finally {
            parts.policy().record(admission, turn.outcome());
        }
    }

    /** The reasoner, or the refusal. */
    ServedReasoner reasoner() {
        ServedReasoner reasoner = parts.reasoner();
        if (reasoner == null) {
            throw ApiException.unavailable(null, "no reasoner was loaded: start the server with --par DIR");
        }
        return reasoner;
    }
}
