package dev.prpf.api;

import java.util.List;

/** The result of a cascade for a sample: actions to propose, silence of the gate or of the reasoner, or an unusable response. */
public sealed interface Recommendation {
    /** Returns the gate's result. */
    Perception perception();

    /**
     * The gate's probability is below the threshold, so the reasoner did not run.
     *
     * @param perception the gate's result
     */
    record BelowThreshold(Perception perception) implements Recommendation {}

    /**
     * The reasoner ran and recommends nothing.
     *
     * @param perception the gate's result
     */
    record Silence(Perception perception) implements Recommendation {}

    /**
     * The actions to propose to the user.
     *
     * @param perception the gate's result
     * @param alternatives sequences of calls, the preferred one first; neither the list nor the first sequence is empty
     */
    record Actions(Perception perception, List<List<FunctionCall>> alternatives) implements Recommendation {
        /** Copies the sequences of calls. */
        public Actions {
            alternatives = alternatives.stream().map(List::copyOf).toList();
        }

        /** Returns the preferred sequence of calls. */
        public List<FunctionCall> calls() {
            return alternatives.get(0);
        }
    }

    /**
     * The reasoner's response is not in the form of its training. Propose nothing.
     *
     * @param perception the gate's result
     * @param response the raw text; empty if the prompt was too long
     * @param truncated whether the limit of tokens cut the response
     */
    record Malformed(Perception perception, String response, boolean truncated) implements Recommendation {}
}
