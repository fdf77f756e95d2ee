package dev.prpf.par.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Cost;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.serve.policy.UserPolicy;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observes a user's phone, offers help, and executes what the user accepts. One instance plays one episode. An assistant sees the full texts
 * of events, the user's moves and replies, and its own calls.
 */
public interface ProactiveAgent {
    /** Starts the assistant of an episode. */
    interface Source {
        /** Returns the name in the header of episodes. */
        String id();

        /** Returns the settings that decide an episode; a file of episodes is resumed only with equal settings. */
        default String settings() {
            return id();
        }

        /** Returns the policy that withholds offers, or null. */
        default @Nullable UserPolicy policy() {
            return null;
        }

        /**
         * Starts a new episode.
         *
         * @param seed of random decisions
         * @param policy the user's; the runner withholds the offers that the policy forbids
         */
        ProactiveAgent start(ScenarioWorld world, long seed, EpisodePolicy policy);
    }

    /**
     * Explains the last act of the assistant while it observed.
     *
     * @param p probability that help is wanted; null without a gate
     * @param threshold the lowest p that passes, or null
     * @param reason why it stays silent, or null
     * @param scenarios the shortlist; empty without one
     * @param cost null if unknown
     */
    record Judgement(
            @Nullable Double p,
            @Nullable Double threshold,
            @Nullable String reason,
            List<String> scenarios,
            @Nullable Cost cost) {}

    /** Returns the judgement of the last call of {@link #observe}; null without one. */
    default @Nullable Judgement judgement() {
        return null;
    }

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
     * @param seen the steps that the assistant saw since its last act
     */
    Act observe(List<EpisodeStep> seen);

    /** Acts after the user accepted an offer, until it reports. */
    Act execute(List<EpisodeStep> seen);

    /** Returns the number of turns without a valid answer of a model. */
    default int junk() {
        return 0;
    }
}
