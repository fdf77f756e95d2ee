package dev.prpf.eval.world;

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
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the report page of scored episodes, with a timeline for each day. Holds the first episodes only. */
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
        ReportPage page = new ReportPage(
                        "Episodes, counted in mode " + score.mode().name().toLowerCase(Locale.ROOT))
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
        episodes.forEach(episode -> add(page, episode));
        page.writeHtml(file);
    }

    private static Block.KeyFact fact(String label, @Nullable Double percent, String detail) {
        return new Block.KeyFact(label, Shown.percent(percent) + (percent == null ? "" : " %"), detail);
    }

    private static void add(ReportPage page, Episode episode) {
        Map<String, List<Timeline.Mark>> days = days(episode);
        page.drawings(days.entrySet().stream()
                .map(day -> drawing(episode, day.getKey(), day.getValue()))
                .toList());
        Table.Builder steps = Table.of("step", "seconds", "turn", "what happened");
        episode.steps()
                .forEach(step -> steps.row(
                        step.step(), Shown.number(step.t(), "%.1f"), step.turn(), EpisodesCommand.Show.text(step)));
        page.folded("Steps of " + episode.header().episode(), List.of(steps.captioned("Steps")));
    }

    /** Returns the marks by day; without a clock all steps are one day, in their order. */
    private static Map<String, List<Timeline.Mark>> days(Episode episode) {
        Episode.Header header = episode.header();
        boolean ordered = header.clock() == Episode.Clock.ORDER;
        OffsetDateTime start = ordered || header.start() == null ? null : OffsetDateTime.parse(header.start());
        Map<String, List<Timeline.Mark>> days = new LinkedHashMap<>();
        double seconds = 0;
        for (EpisodeStep step : episode.steps()) {
            seconds = ordered ? step.step() : step.t() == null ? seconds : step.t();
            OffsetDateTime time = start == null ? null : start.plus(Math.round(seconds * 1e3), ChronoUnit.MILLIS);
            String day = time == null ? "in order" : time.toLocalDate().toString();
            days.computeIfAbsent(day, name -> new ArrayList<>())
                    .add(new Timeline.Mark(
                            seconds, LANES.indexOf(lane(step)), step.step() + ": " + EpisodesCommand.Show.text(step)));
        }
        return days;
    }

    private static Block.Drawing drawing(Episode episode, String day, List<Timeline.Mark> marks) {
        String caption = episode.header().episode() + ", " + day;
        String first = Shown.number(marks.get(0).at(), "%.0f");
        String last = Shown.number(marks.get(marks.size() - 1).at(), "%.0f");
        return new Block.Drawing(caption, Timeline.svg(caption, LANES, marks, first, last));
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
