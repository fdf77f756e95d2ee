package dev.prpf.par.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.world.scenario.Observation;
import dev.prpf.data.world.scenario.ScenarioWorld;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Plays the user of an episode. One instance plays one episode. */
public interface SimulatedUser {
    /** Starts the user of an episode. */
    interface Source {
        /** Returns the name in the header of episodes. */
        String id();

        /**
         * Starts a new episode.
         *
         * @param seed of random decisions
         */
        SimulatedUser start(ScenarioWorld world, long seed);
    }

    /**
     * A move on the visible screen.
     *
     * @param call {@code App.move}
     */
    record Move(String call, Map<String, JsonNode> with) {}

    /** A reply to an offer. */
    record Reply(Answer answer, String text) {}

    /** Returns the next move; null to wait. */
    @Nullable
    Move act(Observation seen);

    /** Replies to the open offer; null to make a move first. */
    @Nullable
    Reply answer(Observation seen, ProactiveAgent.Offer offer);

    /** Returns the number of turns without a valid answer of a model. */
    default int junk() {
        return 0;
    }
}
