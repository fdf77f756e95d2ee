package dev.prpf.par.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.world.scenario.Observation;
import java.util.List;
import java.util.Map;

/** Observes a user's phone, offers help, and executes what the user accepts. One instance plays one episode. */
public interface ProactiveAgent {
    /** An act of the assistant in its turn. */
    sealed interface Act {}

    /** Ends the turn without an offer. */
    record Silence() implements Act {}

    /**
     * Calls a function; the result is in the next observation.
     *
     * @param call {@code App.function}
     */
    record Call(String call, Map<String, JsonNode> with) implements Act {}

    /**
     * Offers help and ends the turn.
     *
     * @param calls the planned calls, or none
     */
    record Offer(String text, List<Call> calls) implements Act {}

    /** Reports to the user and ends the execution. */
    record Report(String text) implements Act {}

    /**
     * Acts while no offer is open. A call that writes is refused.
     *
     * @param seen what the assistant noticed since its last act, with the user's replies
     */
    Act observe(Observation seen);

    /** Acts after the user accepted an offer, until it reports. */
    Act execute(Observation seen);
}
