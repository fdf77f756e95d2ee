package dev.prpf.data.world.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the user or the assistant has noticed since the previous turn.
 *
 * @param t seconds since the start
 * @param moves {@code App.move} that the visible screen offers the user
 * @param seen in order
 */
public record Observation(double t, List<String> moves, List<Seen> seen) {
    /** The source of what a participant notices. */
    public enum Kind {
        /** An event of the environment. */
        EVENT,
        /** A move of the user. */
        MOVE,
        /** A call of the assistant; the user does not see it. */
        CALL,
        /** A message of the assistant, which only the user receives. */
        MESSAGE,
        /** A reply of the user, which only the assistant receives. */
        REPLY
    }

    /**
     * Something that a participant noticed.
     *
     * @param call {@code App.function}, {@code App.move}, or a call that belongs to no app
     * @param with arguments; empty for an event that the user sees
     * @param result of a move or a call; null for none
     * @param error why a move or a call was refused, or null
     * @param text of an event, message or reply: short for the user, whole for the assistant
     */
    public record Seen(
            double t,
            Kind kind,
            String call,
            Map<String, JsonNode> with,
            @Nullable JsonNode result,
            @Nullable String error,
            @Nullable String text) {}
}
