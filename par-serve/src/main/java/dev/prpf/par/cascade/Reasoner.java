package dev.prpf.par.cascade;

import dev.prpf.data.Sample;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.response.ParResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reasons over what passed the gate. */
public interface Reasoner extends AutoCloseable {
    /**
     * One thing to reason about.
     *
     * @param sample the moment
     * @param perception of the sample, or null when no perceiver ran or its answer could not be used
     * @param candidates the functions to choose from
     */
    record Request(Sample sample, @Nullable Perception perception, CandidatePool candidates) {}

    /**
     * A response.
     *
     * @param text as it was written
     * @param response the text, read
     * @param finish why it ended; {@code LENGTH} where it was cut, null where nothing was written
     * @param cost of reasoning alone
     */
    record Reasoning(String text, ParResponse response, @Nullable FinishReason finish, PredictionCost cost) {
        /** Of unknown cost. */
        public Reasoning(String text, ParResponse response, @Nullable FinishReason finish) {
            this(text, response, finish, PredictionCost.UNKNOWN);
        }
    }

    /** What this reasoner is, for reports and provenance. */
    String id();

    /**
     * One reasoning a request, in order.
     *
     * @param answered runs once a request as soon as its answer is there, in any order, one at a time
     */
    List<Reasoning> reason(List<Request> requests, Runnable answered);

    @Override
    void close();
}
