package dev.prpf.par.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.world.scenario.ScenarioWorld;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Plays the user of an episode. One instance plays one episode. A user sees the short texts of events, its own moves, and the assistant's
 * messages.
 */
public interface SimulatedUser {
    /** Starts the user of an episode. */
    interface Source {
        /** Returns the name in the header of episodes. */
        String id();

        /** Returns the settings that decide an episode; a file of episodes is resumed only with equal settings. */
        default String settings() {
            return id();
        }

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

    /**
     * Returns the next move; null to wait.
     *
     * @param seen the steps that the user saw since its last move or reply
     */
    @Nullable
    Move act(List<EpisodeStep> seen);

    /** Replies to the open offer; null to make a move first. */
    @Nullable
    Reply answer(List<EpisodeStep> seen, ProactiveAgent.Offer offer);

    /** Returns the number of turns without a valid answer of a model. */
    default int junk() {
        return 0;
    }
}
