package dev.prpf.par.serve.policy;

import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.mpp.Perception;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides which parts of a sample may be read and whether an intervention may follow, and writes the audit. Thread-safe. */
public interface InterventionPolicy {
    /**
     * A request's sample as received.
     *
     * @param caller name of the request's API key ({@code ApiServer.caller}); the same user name under another key is another user
     * @param sample the whole sample
     * @param passive whether the user asked, so that the policy limits only what is read
     * @param question the user's question, added as the last step; not a signal, never withheld; or null
     */
    record Moment(String caller, String user, Sample sample, boolean passive, @Nullable String question) {
        /** Creates a moment without a question. */
        public Moment(String caller, String user, Sample sample, boolean passive) {
            this(caller, user, sample, passive, null);
        }

        Moment with(Sample other) {
            return new Moment(caller, user, other, passive, question);
        }
    }

    /**
     * The policy's decision on a sample before it is scored.
     *
     * @param moment as received, without the parts that may not be read
     * @param withheld names of signals that were removed
     * @param thresholdShift added to τ, from -1 to 1
     * @param silence why no intervention may follow, whatever the perceiver returns, such as {@code quiet-hours}; else null
     * @param since {@link System#nanoTime} of the decision
     */
    record Admission(
            Moment moment, List<String> withheld, double thresholdShift, @Nullable String silence, long since) {
        public Admission {
            withheld = List.copyOf(withheld);
        }

        public Admission(Moment moment, List<String> withheld, double thresholdShift, @Nullable String silence) {
            this(moment, withheld, thresholdShift, silence, System.nanoTime());
        }

        /** Returns the parts that may be read, the only input of all later stages. */
        public Sample sample() {
            return moment.sample();
        }

        /** Returns τ for this user, clamped to [0, 1]. */
        public double threshold(double tau) {
            return Math.max(0, Math.min(1, tau + thresholdShift));
        }
    }

    /**
     * The outcome of a request, for the audit.
     *
     * @param perception null where nothing was perceived
     * @param threshold τ that the probability was compared with
     * @param silence the admission's reason, {@code below-threshold}, {@code empty-response} or {@code malformed}; null if something was
     *     recommended
     * @param recommendations shown to the user
     * @param intervention whether something is shown that the user did not ask for, so that it counts against the limits
     */
    record Outcome(
            @Nullable Perception perception,
            double threshold,
            @Nullable String silence,
            List<Recommendation> recommendations,
            boolean intervention) {}

    /**
     * The result of {@link #record}: the entry, and whether its intervention may be shown.
     *
     * @param entry id of the audit entry, null where none is kept
     * @param silence why the intervention must not be shown after all, as the entry then says; else null
     */
    record Recorded(@Nullable Long entry, @Nullable String silence) {}

    /**
     * Decides what may be read. Called first, before anything is encoded.
     *
     * @throws dev.prpf.par.serve.http.ApiException 400 for an invalid user name
     */
    Admission admit(Moment moment);

    /**
     * Checks a user name where no sample is given yet.
     *
     * @throws dev.prpf.par.serve.http.ApiException 400 for a name that {@link #admit} would refuse
     */
    void requireUser(String user);

    /**
     * Writes the audit entry of a decision, and counts its intervention, in one transaction. Call it before the answer: of two concurrent interventions,
     * the second may be refused. A stream calls it before its first text, and again when it has ended.
     *
     * @param begun the result for the beginning of the stream; its entry is replaced; null for a new entry
     * @throws dev.prpf.par.serve.http.ApiException 503 if help that the user did not ask for cannot be recorded; nothing may be answered then
     */
    Recorded record(Admission admission, Outcome outcome, @Nullable Recorded begun);

    /** Returns the policy of a server without one: everything may be read, nothing is kept. */
    static InterventionPolicy none() {
        return new InterventionPolicy() {
            @Override
            public Admission admit(Moment moment) {
                return new Admission(moment, List.of(), 0, null);
            }

            @Override
            public void requireUser(String user) {}

            @Override
            public Recorded record(Admission admission, Outcome outcome, @Nullable Recorded begun) {
                return new Recorded(null, null);
            }
        };
    }
}
