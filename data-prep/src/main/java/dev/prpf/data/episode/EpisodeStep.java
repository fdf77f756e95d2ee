package dev.prpf.data.episode;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.EnumNamingStrategies;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.EnumNaming;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A step of an episode. In JSON its {@code kind} is the name of the record in lower case. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
    @JsonSubTypes.Type(value = EpisodeStep.Event.class, name = "event"),
    @JsonSubTypes.Type(value = EpisodeStep.Action.class, name = "action"),
    @JsonSubTypes.Type(value = EpisodeStep.Decision.class, name = "decision"),
    @JsonSubTypes.Type(value = EpisodeStep.Proposal.class, name = "proposal"),
    @JsonSubTypes.Type(value = EpisodeStep.Reply.class, name = "reply"),
    @JsonSubTypes.Type(value = EpisodeStep.Message.class, name = "message"),
    @JsonSubTypes.Type(value = EpisodeStep.Intent.class, name = "intent"),
    @JsonSubTypes.Type(value = EpisodeStep.Label.class, name = "label"),
    @JsonSubTypes.Type(value = EpisodeStep.Check.class, name = "check"),
    @JsonSubTypes.Type(value = EpisodeStep.End.class, name = "end")
})
public sealed interface EpisodeStep {
    /** The participants of an episode: the user, and the assistant while it observes and while it executes. */
    @EnumNaming(EnumNamingStrategies.SnakeCaseStrategy.class)
    enum Actor {
        USER,
        OBSERVE,
        EXECUTE
    }

    /** Effect of a function on the state of its app. */
    @EnumNaming(EnumNamingStrategies.SnakeCaseStrategy.class)
    enum Effect {
        READ,
        WRITE
    }

    /** Decision of the assistant at the end of its turn. */
    @EnumNaming(EnumNamingStrategies.SnakeCaseStrategy.class)
    enum Act {
        ACT,
        SILENT,
        READ
    }

    /** A user's reply to a proposal. */
    @EnumNaming(EnumNamingStrategies.SnakeCaseStrategy.class)
    enum Answer {
        ACCEPT,
        REJECT,
        IGNORE,
        ANSWER
    }

    /** How a hidden intent became known (pi-Bench). */
    @EnumNaming(EnumNamingStrategies.SnakeCaseStrategy.class)
    enum IntentStatus {
        COMPLETED,
        INFERRED,
        PROVIDED
    }

    /** Why an episode ended. */
    @EnumNaming(EnumNamingStrategies.SnakeCaseStrategy.class)
    enum Why {
        DONE,
        TURNS,
        TIME,
        ERROR,
        KILLED
    }

    /** Returns the step's number, from 0. */
    int step();

    /** Returns the seconds since the start of the episode; null if the source has no times. */
    @Nullable
    Double t();

    /** Returns the turn, from 0; null if the source has no turns. */
    @Nullable
    Integer turn();

    /**
     * The texts of an event.
     *
     * @param user the short text for the user; null if the user was not notified
     * @param agent the whole text for the assistant; null if it was not notified
     */
    record Seen(@Nullable String user, @Nullable String agent) {}

    /**
     * An event of the environment.
     *
     * @param app null if the source does not name it
     * @param name the function that the event calls, or null
     * @param noise whether the event is a distractor
     */
    record Event(
            int step,
            @Nullable Double t,
            @Nullable Integer turn,
            @Nullable String app,
            @Nullable String name,
            Map<String, JsonNode> args,
            Seen seen,
            boolean noise)
            implements EpisodeStep {}

    /**
     * A function call and its result.
     *
     * @param effect null if the source does not state it
     * @param result null if the call failed, or the source does not say
     * @param error null if the call succeeded
     * @param cause the step during which the app itself made this call; null for a call of the actor
     */
    record Action(
            int step,
            @Nullable Double t,
            @Nullable Integer turn,
            Actor actor,
            String app,
            String function,
            Map<String, JsonNode> args,
            @Nullable Effect effect,
            @Nullable String result,
            @Nullable String error,
            @Nullable Integer cause)
            implements EpisodeStep {}

    /**
     * The measured cost of a decision. Equal seeds give equal episodes except for costs.
     *
     * @param tokens of prompts and responses; null if unknown
     * @param flops floating-point operations; null if unknown
     * @param seconds wall clock; null if unknown
     */
    record Cost(@Nullable Integer tokens, @Nullable Double flops, @Nullable Double seconds) {}

    /**
     * The assistant's decision in a turn in which it observes.
     *
     * @param p probability that help is wanted; null if the source does not state it
     * @param threshold the lowest p that passes, or null
     * @param reason why the assistant stays silent, or null
     * @param scenarios the shortlist; empty without one
     * @param cost null if unknown
     */
    record Decision(
            int step,
            @Nullable Double t,
            @Nullable Integer turn,
            Act act,
            @Nullable Double p,
            @Nullable Double threshold,
            @Nullable String reason,
            List<String> scenarios,
            @Nullable Cost cost)
            implements EpisodeStep {
        public Decision(int step, @Nullable Double t, @Nullable Integer turn, Act act) {
            this(step, t, turn, act, null, null, null, List.of(), null);
        }
    }

    /**
     * An offer of help, before which the assistant must not write.
     *
     * @param texts the offer, or alternative offers; empty if the source holds hashes only
     */
    record Proposal(int step, @Nullable Double t, @Nullable Integer turn, List<String> texts) implements EpisodeStep {}

    /**
     * A user's reply to a proposal.
     *
     * @param to the step of the open proposal; null if none was open
     */
    record Reply(
            int step,
            @Nullable Double t,
            @Nullable Integer turn,
            @Nullable Integer to,
            Answer answer,
            @Nullable String text)
            implements EpisodeStep {}

    /** A text that is neither a proposal nor a reply. */
    record Message(int step, @Nullable Double t, @Nullable Integer turn, Actor from, String text)
            implements EpisodeStep {}

    /**
     * A hidden intent of the user became known.
     *
     * @param index of the intent in its task, from 0
     * @param by the judge of this, or null
     */
    record Intent(
            int step, @Nullable Double t, @Nullable Integer turn, int index, IntentStatus status, @Nullable String by)
            implements EpisodeStep {}

    /**
     * People's judgement of a proposal or decision.
     *
     * @param to the judged step, which is earlier
     * @param need whether help was wanted; null if the source does not state it
     * @param valid whether the majority agrees with the step; null if the source does not state it
     * @param annotations one for each person: whether they accept the proposal, or want no help
     * @param who the judges, or null
     */
    record Label(
            int step,
            @Nullable Double t,
            @Nullable Integer turn,
            int to,
            @Nullable Boolean need,
            @Nullable Boolean valid,
            List<Boolean> annotations,
            @Nullable String who)
            implements EpisodeStep {}

    /** A verdict of the source on the episode. */
    record Check(
            int step, @Nullable Double t, @Nullable Integer turn, String id, boolean value, @Nullable String reason)
            implements EpisodeStep {}

    /**
     * The last step of an episode.
     *
     * @param verdict whether the episode succeeded; null if the source does not state it
     * @param turns the number of turns; null if the source has no turns
     */
    record End(
            int step,
            @Nullable Double t,
            @Nullable Integer turn,
            @Nullable Boolean verdict,
            Why why,
            @Nullable Integer turns)
            implements EpisodeStep {}
}
