package dev.prpf.data.episode;

import com.fasterxml.jackson.databind.EnumNamingStrategies;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.EnumNaming;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A header and the steps of one episode.
 *
 * @param steps in order; the last one is an {@link EpisodeStep.End}
 */
public record Episode(Header header, List<EpisodeStep> steps) {
    /** The version of the format. */
    public static final String FORMAT = "prpf-episode/1";

    /** The clock of an episode. */
    @EnumNaming(EnumNamingStrategies.SnakeCaseStrategy.class)
    public enum Clock {
        /** Simulated time, which a runner advances. */
        VIRTUAL,
        /** Time of a real clock. */
        WALL,
        /** Times without a meaning; only the order of steps counts. */
        ORDER
    }

    /**
     * The first line of an episode.
     *
     * @param format {@value #FORMAT}
     * @param episode identifies the episode in its file
     * @param run the number of the run of this scenario; null for a source without runs
     * @param source the format that the episode was made from
     * @param start ISO 8601 time of the start with its offset, or null
     * @param actors {@code user}, {@code observe}, {@code execute} to the model or rule that played it, or null
     * @param apps names of the apps
     * @param goal the user's goal, or null
     * @param facts further values of the source
     */
    public record Header(
            String format,
            String episode,
            @Nullable String scenario,
            @Nullable Integer run,
            @Nullable Long seed,
            String source,
            @Nullable String start,
            Clock clock,
            Map<String, @Nullable String> actors,
            List<String> apps,
            @Nullable String goal,
            Map<String, JsonNode> facts) {
        public Header {
            if (!format.equals(FORMAT)) {
                throw new IllegalArgumentException("format = \"" + format + "\", must be \"" + FORMAT
                        + "\"; import the episode again with this version");
            }
            try {
                if (start != null) {
                    OffsetDateTime.parse(start);
                }
            } catch (DateTimeParseException e) {
                throw new IllegalArgumentException(
                        "start = \"" + start + "\", must be a time as in \"2026-03-02T08:00:00+08:00\"", e);
            }
        }
    }

    public Episode {
        steps = List.copyOf(steps);
        Order order = new Order(header.clock());
        steps.forEach(order::add);
        order.end();
    }

    /** A file format of episodes. */
    public interface Source {
        /**
         * Reads the episodes of a file.
         *
         * @param episodes receives each episode; memory holds one
         * @throws dev.prpf.base.error.PrpfException 65 naming file and place if the file is not of this format
         */
        void read(Path file, Consumer<Episode> episodes);
    }

    /** Returns the last step. */
    public EpisodeStep.End end() {
        return (EpisodeStep.End) steps.get(steps.size() - 1);
    }

    /** Checks the order of steps as they come. */
    static final class Order {
        private final Clock clock;
        private int next;
        private double time = Double.NEGATIVE_INFINITY;
        private boolean ended;

        Order(Clock clock) {
            this.clock = clock;
        }

        void add(EpisodeStep step) {
            if (ended) {
                throw new IllegalArgumentException(
                        "step " + step.step() + " follows the end, which must be the last step");
            }
            if (step.step() != next) {
                throw new IllegalArgumentException(
                        "step = " + step.step() + ", must be " + next + ": steps are numbered in order");
            }
            Double t = step.t();
            if (t != null && clock != Clock.ORDER) {
                if (t < time) {
                    throw new IllegalArgumentException(
                            "t = " + t + ", must be at least " + time + ", that of an earlier step");
                }
                time = t;
            }
            Integer to = step instanceof EpisodeStep.Reply reply
                    ? reply.to()
                    : step instanceof EpisodeStep.Label label ? (Integer) label.to() : null;
            if (to != null && to >= next) {
                throw new IllegalArgumentException("to = " + to + ", must be an earlier step");
            }
            next++;
            ended = step instanceof EpisodeStep.End;
        }

        boolean ended() {
            return ended;
        }

        void end() {
            if (!ended) {
                throw new IllegalArgumentException("the last step is no end");
            }
        }
    }
}
