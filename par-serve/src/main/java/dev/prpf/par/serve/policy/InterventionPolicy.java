package dev.prpf.par.serve.policy;

import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.mpp.Perception;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Who is asked before a moment is read, before an intervention is made, and told what came of it. For any number of threads. */
public interface InterventionPolicy {
    /**
     * A request's moment as it came.
     *
     * @param caller whose API key the request came with ({@code ApiServer.caller}); users of one caller are none of another's
     * @param user as the body or the session names them
     * @param sample the moment, whole
     * @param passive whether the user asked, so that silence is no option and only reading is limited
     * @param question the last step, in words, that the user asks now: it is no signal, so that nothing takes it away; or null
     */
    record Moment(String caller, String user, Sample sample, boolean passive, @Nullable String question) {
        /** Without a question. */
        public Moment(String caller, String user, Sample sample, boolean passive) {
            this(caller, user, sample, passive, null);
        }

        Moment with(Sample other) {
            return new Moment(caller, user, other, passive, question);
        }
    }

    /**
     * What may be done with a moment.
     *
     * @param moment as it came, but for what may not be read of it, so that nothing behind can come upon that
     * @param sample what may be read of it; everything behind works on this alone
     * @param withheld names of signals that were taken away
     * @param thresholdShift added to τ, from -1 to 1
     * @param silence why no intervention may follow whatever the perceiver says, such as {@code quiet-hours}; null where one may
     */
    record Admission(
            Moment moment, Sample sample, List<String> withheld, double thresholdShift, @Nullable String silence) {
        public Admission {
            withheld = List.copyOf(withheld);
        }

        /** τ for this user, kept in [0, 1]. */
        public double threshold(double tau) {
            return Math.max(0, Math.min(1, tau + thresholdShift));
        }
    }

    /**
     * What came of a moment, for the audit.
     *
     * @param perception null where nothing was perceived
     * @param threshold τ that it was compared with
     * @param silence why it stayed silent: the admission's reason, {@code below-threshold}, {@code empty-response}, {@code malformed}; null
     *     where something was recommended
     * @param recommendations what was recommended
     */
    record Outcome(
            @Nullable Perception perception,
            double threshold,
            @Nullable String silence,
            List<Recommendation> recommendations) {}

    /**
     * Asked first, before anything is encoded.
     *
     * @throws dev.prpf.par.serve.http.ApiException 400 for a user of a name that none may have
     */
    Admission admit(Moment moment);

    /**
     * Asked right before an intervention is shown: it counts against the user's limits, so that of two at once one may be too many.
     *
     * @return null if it may be shown, else the reason for silence
     */
    @Nullable
    String intervene(Admission admission);

    /** Takes back what {@link #intervene} counted, as nothing was recommended in the end. What was not counted is left as it is. */
    void withdraw(Admission admission);

    /**
     * Asked where a user is named before any moment comes.
     *
     * @throws dev.prpf.par.serve.http.ApiException 400 for a name that {@link #admit} would refuse
     */
    void requireUser(String user);

    /** Told once a moment, also of silence. */
    void record(Admission admission, Outcome outcome);

    /**
     * Has a part that remembers users told whom to forget.
     *
     * @param forgetting is given caller and user, before what is kept of them is erased
     */
    default void onErase(BiConsumer<String, String> forgetting) {
        // what keeps nothing erases nothing
    }

    /** The policy of a server without one: everything may be read, nothing is kept. */
    static InterventionPolicy none() {
        return new InterventionPolicy() {
            @Override
            public Admission admit(Moment moment) {
                return new Admission(moment, moment.sample(), List.of(), 0, null);
            }

            @Override
            public @Nullable String intervene(Admission admission) {
                return null;
            }

            @Override
            public void withdraw(Admission admission) {}

            @Override
            public void requireUser(String user) {}

            @Override
            public void record(Admission admission, Outcome outcome) {}
        };
    }
}
