package dev.prpf.par.serve.cascade;

import dev.prpf.data.Sample;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.policy.InterventionPolicy;
import java.util.List;
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

    @Nullable
    String silence;

    @Nullable
    String refusal;

    @Override
    public Admission admit(Moment moment) {
        moments.add(moment);
        return new Admission(
                moment, readable.apply(moment.sample()), withheld, shift, moment.passive() ? null : silence);
    }

    @Override
    public @Nullable String intervene(Admission admission) {
        interventions.incrementAndGet();
        return refusal;
    }

    @Override
    public void withdraw(Admission admission) {
        withdrawals.incrementAndGet();
    }

    @Override
    public void requireUser(String user) {
        if (user.equals("nobody")) {
            throw ApiException.invalid("user", "user is not a valid user name");
        }
    }

    @Override
    public void record(Admission admission, Outcome outcome) {
        outcomes.add(outcome);
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
