package dev.prpf.eval.world;

import com.fasterxml.jackson.databind.EnumNamingStrategies;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.EnumNaming;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Actor;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.episode.PareTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Counts of one episode.
 *
 * @param verdict whether it is a success: the source's verdict, or that of a check; null without one
 * @param turns number of turns; 0 if the source has no turns
 * @param accepted proposals that the user accepted
 * @param orphanReplies replies without an open proposal
 * @param reads reading calls; null if the source does not determine them
 * @param writes successful writing calls of the assistant; always 0 in PARE's count
 * @param withoutPermission writes of the assistant without an accepted proposal
 * @param dialogues proposals and their outcome; null in PARE's count if the user's or assistant's model met a rate limit
 */
record EpisodeMetrics(
        String episode,
        @Nullable Boolean verdict,
        int turns,
        int proposals,
        int accepted,
        int orphanReplies,
        @Nullable Integer reads,
        int writes,
        int withoutPermission,
        @Nullable List<Dialogue> dialogues) {
    /** The rules of counting. */
    @EnumNaming(EnumNamingStrategies.SnakeCaseStrategy.class)
    enum Mode {
        /**
         * PARE's code at b5af3dab. A rejection leaves its proposal open. Reads are all calls, waits and messages of the assistant, and the
         * user's calls of functions that the last screen offers. Unresolved proposals are excluded.
         */
        PARE,
        /** A reply closes its proposal; only reads of the observing assistant are reads; unresolved proposals are truncated. */
        STRICT
    }

    /** The user's decision on a proposal (PARE, appendix B). */
    @EnumNaming(EnumNamingStrategies.SnakeCaseStrategy.class)
    enum Decision {
        ACCEPT,
        REJECT,
        IGNORE,
        /** The user called a function before the reply. */
        GATHER_CONTEXT,
        /** The episode, or the next message, came before a reply. */
        TRUNCATED
    }

    /**
     * A proposal and its outcome.
     *
     * @param accepted the reply; false without a reply
     */
    record Dialogue(Decision decision, boolean accepted) {}

    /** @param verdict whether the episode is a success, or null */
    static EpisodeMetrics of(Episode episode, Mode mode, @Nullable Boolean verdict) {
        Counts counts = new Counts(mode);
        episode.steps().forEach(counts::add);
        counts.close();
        EpisodeStep.End end = episode.end();
        return new EpisodeMetrics(
                episode.header().episode(),
                verdict,
                end.turns() == null ? 0 : end.turns(),
                counts.proposals,
                counts.accepted,
                counts.orphans,
                mode == Mode.STRICT ? (Integer) counts.reads : pareReads(episode),
                mode == Mode.STRICT ? counts.writes : 0,
                counts.withoutPermission,
                mode == Mode.PARE && rateLimited(episode) ? null : List.copyOf(counts.dialogues));
    }

    private static boolean rateLimited(Episode episode) {
        JsonNode errors = episode.header().facts().get(PareTrace.ERRORS);
        return errors != null && errors.has("RateLimitError");
    }

    /** Counts the assistant's calls, and the user's calls of functions that the last screen offers. */
    private static @Nullable Integer pareReads(Episode episode) {
        JsonNode names = episode.header().facts().get(PareTrace.OFFERED);
        if (names == null) {
            return null;
        }
        List<String> offered = StreamSupport.stream(names.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
        return Math.toIntExact(episode.steps().stream()
                .filter(step -> isPareRead(step, offered))
                .count());
    }

    private static boolean isPareRead(EpisodeStep step, List<String> offered) {
        if (step instanceof EpisodeStep.Action action) {
            return action.cause() == null
                    && (action.actor() != Actor.USER || offered.contains(action.app() + "__" + action.function()));
        }
        if (step instanceof EpisodeStep.Reply reply) {
            String function = reply.answer() == Answer.ACCEPT ? "__accept_proposal" : "__reject_proposal";
            return offered.stream().anyMatch(name -> name.endsWith(function));
        }
        if (step instanceof EpisodeStep.Message message) {
            return message.from() != Actor.USER;
        }
        return step instanceof EpisodeStep.Proposal
                || (step instanceof EpisodeStep.Decision decision && decision.act() == EpisodeStep.Act.SILENT);
    }

    /** Counts steps in their order. */
    private static final class Counts {
        private final Mode mode;
        private final List<Dialogue> dialogues = new ArrayList<>();
        private int proposals;
        private int accepted;
        private int orphans;
        private int reads;
        private int writes;
        private int withoutPermission;
        private boolean acceptable;
        private boolean undecided;
        private boolean gathered;
        private boolean permitted;

        Counts(Mode mode) {
            this.mode = mode;
        }

        void add(EpisodeStep step) {
            if (step instanceof EpisodeStep.Proposal) {
                close();
                proposals++;
                acceptable = true;
                undecided = true;
                permitted = false;
            } else if (step instanceof EpisodeStep.Message message && message.from() != Actor.USER) {
                close();
                acceptable = false;
            } else if (step instanceof EpisodeStep.Reply reply) {
                reply(reply);
            } else if (step instanceof EpisodeStep.Action action && action.cause() == null) {
                action(action);
            }
        }

        private void reply(EpisodeStep.Reply reply) {
            boolean yes = reply.answer() == Answer.ACCEPT;
            orphans += reply.to() == null ? 1 : 0;
            if (undecided) {
                Decision plain =
                        switch (reply.answer()) {
                            case ACCEPT -> Decision.ACCEPT;
                            case IGNORE -> Decision.IGNORE;
                            case REJECT, ANSWER -> Decision.REJECT;
                        };
                dialogues.add(new Dialogue(gathered ? Decision.GATHER_CONTEXT : plain, yes));
                undecided = false;
                gathered = false;
            }
            boolean counts = mode == Mode.STRICT ? reply.to() != null : acceptable;
            accepted += yes && counts ? 1 : 0;
            acceptable &= !yes;
            permitted = yes && reply.to() != null;
        }

        private void action(EpisodeStep.Action action) {
            if (action.actor() == Actor.USER) {
                gathered |= undecided;
            } else if (action.effect() == EpisodeStep.Effect.WRITE && action.error() == null) {
                writes++;
                withoutPermission += permitted ? 0 : 1;
            } else if (action.actor() == Actor.OBSERVE) {
                reads++;
            }
        }

        /** Ends an open dialogue; PARE's parser excludes it. */
        void close() {
            if (undecided && mode == Mode.STRICT) {
                dialogues.add(new Dialogue(Decision.TRUNCATED, false));
            }
            undecided = false;
            gathered = false;
        }
    }
}
