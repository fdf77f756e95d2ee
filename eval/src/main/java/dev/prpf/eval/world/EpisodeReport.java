package dev.prpf.eval.world;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.report.Timeline;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes the report page of scored episodes, with a timeline for each day. Only the first episodes have timelines. */
final class EpisodeReport {
    private static final int SHOWN = 20;
    private static final List<String> LANES = List.of("event", "silence", "proposal", "reply", "write", "other");
    private final List<Episode> episodes = new ArrayList<>();

    void add(Episode episode) {
        if (episodes.size() < SHOWN) {
            episodes.add(episode);
        }
    }

    /** @param table the scores by episode */
    void write(Path file, EpisodeScore score, Table table) {
        ReportPage page = new ReportPage("Episodes, counted in mode " + EnumName.of(score.mode()))
                .keyFacts(List.of(
                        fact("Success", score.success(), score.episodes() + " episodes"),
                        fact("Accepted", score.acceptanceRate(), "of the proposals"),
                        fact("Proposals", score.proposalRate(), "per turn"),
                        new Block.KeyFact(
                                "Writes without permission",
                                Integer.toString(score.withoutPermission()),
                                "in all episodes")))
                .table(table)
                .heading("Timelines");
        if (score.episodes() > episodes.size()) {
            page.note("The first " + episodes.size() + " of " + score.episodes() + " episodes have a timeline.");
        }
        page.drawings(episodes.stream().flatMap(EpisodeReport::drawings).toList());
        episodes.forEach(episode -> page.folded("Steps of " + episode.header().episode(), List.of(steps(episode))));
        page.writeHtml(file);
    }

    private static Block.KeyFact fact(String label, @Nullable Double percent, String detail) {
        return new Block.KeyFact(label, Shown.percent(percent) + (percent == null ? "" : " %"), detail);
    }

    private static Table steps(Episode episode) {
        Table.Builder steps = Table.of("step", "seconds", "turn", "what happened");
        episode.steps()
                .forEach(step -> steps.row(
                        step.step(), Shown.number(step.t(), "%.1f"), step.turn(), EpisodesCommand.Show.text(step)));
        return steps.captioned("Steps");
    }

    /** Returns a timeline for each day; without a clock all steps are one day, in their order. */
    private static Stream<Block.Drawing> drawings(Episode episode) {
        Episode.Header header = episode.header();
        Map<String, List<Timeline.Mark>> days = new LinkedHashMap<>();
        double seconds = 0;
        for (EpisodeStep step : episode.steps()) {
            seconds = header.clock() == Episode.Clock.ORDER ? step.step() : step.t() == null ? seconds : step.t();
            OffsetDateTime time = time(header, seconds);
            days.computeIfAbsent(time == null ? "in order" : time.toLocalDate().toString(), day -> new ArrayList<>())
                    .add(new Timeline.Mark(
                            seconds, LANES.indexOf(lane(step)), step.step() + ": " + EpisodesCommand.Show.text(step)));
        }
        return days.entrySet().stream().map(day -> drawing(header, day.getKey(), day.getValue()));
    }

    private static Block.Drawing drawing(Episode.Header header, String day, List<Timeline.Mark> marks) {
        String caption = header.episode() + ", " + day;
        String first = label(header, marks.get(0).at());
        String last = label(header, marks.get(marks.size() - 1).at());
        return new Block.Drawing(caption, Timeline.svg(caption, LANES, marks, first, last));
    }

    private static String label(Episode.Header header, double seconds) {
        OffsetDateTime time = time(header, seconds);
        return time == null
                ? Shown.number(seconds, "%.0f")
                : time.toLocalTime().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Returns the time of a clock; null if the episode has none. */
    private static @Nullable OffsetDateTime time(Episode.Header header, double seconds) {
        return header.clock() == Episode.Clock.ORDER || header.start() == null
                ? null
                : OffsetDateTime.parse(header.start()).plus(Math.round(seconds * 1e3), ChronoUnit.MILLIS);
    }

    private static String lane(EpisodeStep step) {
        if (step instanceof EpisodeStep.Event) {
            return "event";
        }
        if (step instanceof EpisodeStep.Decision decision && decision.act() == EpisodeStep.Act.SILENT) {
            return "silence";
        }
        if (step instanceof EpisodeStep.Proposal) {
            return "proposal";
        }
        if (step instanceof EpisodeStep.Reply) {
            return "reply";
        }
        return step instanceof EpisodeStep.Action action
                        && action.actor() != EpisodeStep.Actor.USER
                        && action.effect() == EpisodeStep.Effect.WRITE
                        && action.error() == null
                ? "write"
                : "other";
    }
}
