package dev.prpf.par.serve.cascade;

import dev.prpf.data.Sample;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.policy.InterventionPolicy;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A policy that decides as a test sets it, and records its calls. */
final class RecordingPolicy implements InterventionPolicy {
    final List<Moment> moments = new CopyOnWriteArrayList<>();
    final BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
    final AtomicInteger interventions = new AtomicInteger();
    final AtomicInteger withdrawals = new AtomicInteger();
    UnaryOperator<Sample> readable = sample -> sample;
    List<String> withheld = List.of();
    double shift;
    volatile boolean unavailable;
    private volatile @Nullable Outcome begunAs;

    @Nullable
    String silence;

    @Nullable
    String refusal;

    @Override
    public Admission admit(Moment moment) {
        moments.add(moment);
        Moment left = new Moment(
                moment.caller(), moment.user(), readable.apply(moment.sample()), moment.passive(), moment.question());
        return new Admission(left, withheld, shift, moment.passive() ? null : silence);
    }

    @Override
    public void requireUser(String user) {
        if (user.equals("nobody")) {
            throw ApiException.invalid("user", "user is not a valid user name");
        }
    }

    @Override
    public Recorded record(Admission admission, Outcome outcome, @Nullable Recorded begun) {
        if (unavailable) {
            throw ApiException.unavailable(null, "the audit cannot be written");
        }
        if (begun != null) {
            outcomes.remove(Objects.requireNonNull(begunAs));
            withdrawals.addAndGet(outcome.intervention() ? 0 : 1);
        } else if (outcome.intervention()) {
            interventions.incrementAndGet();
        }
        boolean refuses = begun == null && outcome.intervention() && refusal != null;
        Outcome kept =
                refuses ? new Outcome(outcome.perception(), outcome.threshold(), refusal, List.of(), false) : outcome;
        outcomes.add(kept);
        begunAs = kept;
        return new Recorded(1L, refuses ? refusal : null);
    }

    /** The only outcome so far. */
    Outcome outcome() {
        List<Outcome> all = List.copyOf(outcomes);
        outcomes.clear();
        if (all.size() != 1) {
            throw new AssertionError(all.size() + " outcomes of one moment");
        }
        return all.get(0);
    }
}
