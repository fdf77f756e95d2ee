package dev.prpf.par.cascade;

import dev.prpf.data.Sample;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.response.ParResponse;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Generates responses for the samples that passed the gate. */
public interface Reasoner extends AutoCloseable {
    /**
     * One sample for the reasoner.
     *
     * @param perception of the sample, or null without a usable one
     */
    record Request(Sample sample, @Nullable Perception perception, CandidatePool candidates) {}

    /**
     * A response of the reasoner.
     *
     * @param finish why it ended; {@code LENGTH} if truncated, null if no response was generated
     */
    record Reasoning(String text, ParResponse response, @Nullable FinishReason finish, PredictionCost cost) {
        /** Creates a response of unknown cost. */
        public Reasoning(String text, ParResponse response, @Nullable FinishReason finish) {
            this(text, response, finish, PredictionCost.UNKNOWN);
        }
    }

    /** Returns the identity of this reasoner, for reports and provenance. */
    String id();

    /**
     * Generates one response per request, in order.
     *
     * @param answered called once per request as soon as its answer is complete, in any order, one at a time
     */
    List<Reasoning> reason(List<Request> requests, Runnable answered);

    @Override
    void close();

    /** Returns a reasoner without a model, which refuses each request. */
    static Reasoner refusing(String id, Supplier<? extends RuntimeException> refusal) {
        return new Reasoner() {
            @Override
            public String id() {
                return id;
            }

            @Override
            public List<Reasoning> reason(List<Request> requests, Runnable answered) {
                throw refusal.get();
            }

            @Override
            public void close() {}
        };
    }
}
