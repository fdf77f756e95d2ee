package dev.prpf.eval.world;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.statistics.Interval;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.PareTrace;
import dev.prpf.data.episode.ProactiveBenchTrace;
import dev.prpf.data.world.scenario.PareScenario;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.par.serve.policy.UserEpisodes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf eval episodes}. */
@Command(
        name = "episodes",
        description = "Import, show and score episodes: what happened between a user, an assistant and a phone.",
        subcommands = {EpisodesCommand.Import.class, EpisodesCommand.Show.class, EpisodesCommand.Score.class})
public final class EpisodesCommand {
    /** The formats that can be imported; add a format here. */
    enum Format {
        PARE(new PareTrace()),
        SCENARIO((file, episodes) -> episodes.accept(PareScenario.read(file).toEpisode())),
        PROACTIVEBENCH(new ProactiveBenchTrace()),
        SERVE(new UserEpisodes());

        @SuppressWarnings("ImmutableEnumChecker") // sources have no state
        private final Episode.Source source;

        Format(Episode.Source source) {
            this.source = source;
        }
    }

    /** Implements the command {@code prpf eval episodes import}. */
    @Command(
            name = "import",
            description = {
                "Convert traces of a benchmark to one file of episodes.",
                "PARE: the files that pare benchmark run --export writes.",
                "SCENARIO: scenarios of PARE as JSON; the episode is the recorded run that solves the scenario.",
                "PROACTIVEBENCH: traces of models (.json) and labelled rows (.jsonl).",
                "SERVE: the data of users, as the server returns them for GET /v1/users/USER/data."
            },
            footer = "  ./prpf eval episodes import --from pare --out episodes.jsonl traces/*.json")
    static final class Import implements Runnable {
        @Option(names = "--from", required = true, description = "The format of the traces: ${COMPLETION-CANDIDATES}.")
        private Format from;

        @Option(names = "--out", required = true, paramLabel = "FILE", description = "The new file of episodes.")
        private Path out;

        @Parameters(arity = "1..*", paramLabel = "FILE", description = "Traces.")
        private List<Path> files;

        @Mixin
        private JsonOption output;

        /** The result that {@code --json} prints. */
        record Result(int episodes, int steps, String out) {}

        @Override
        public void run() {
            AtomicFiles.requireNew(out);
            int[] counts = new int[2];
            AtomicFiles.write(out, stream -> {
                for (Path file : files) {
                    from.source.read(file, episode -> {
                        counts[0]++;
                        counts[1] += episode.steps().size();
                        IoFailure.whileWriting(out, () -> EpisodeFile.write(stream, episode));
                    });
                }
            });
            Result result = new Result(counts[0], counts[1], out.toString());
            output.print(result, () -> "wrote " + counts[0] + " episodes with " + counts[1] + " steps to " + out);
        }
    }

    /** Implements the command {@code prpf eval episodes show}. */
    @Command(
            name = "show",
            description = "Print the steps of episodes, a line each: number, seconds, turn, what happened.",
            footer = "  ./prpf eval episodes show episodes.jsonl --episode my_scenario_run_1")
    static final class Show implements Runnable {
        private static final int SHOWN = 100;

        @Parameters(paramLabel = "FILE", description = "Episodes.")
        private Path file;

        @Option(names = "--episode", paramLabel = "ID", description = "Print only this episode.")
        private @Nullable String only;

        @Override
        public void run() {
            int[] found = {0};
            new EpisodeFile().read(file, episode -> {
                if (only == null || only.equals(episode.header().episode())) {
                    found[0]++;
                    ResultStream.line(
                            episode.header().episode() + " (" + episode.header().source() + ")");
                    episode.steps().forEach(step -> ResultStream.line(line(step)));
                }
            });
            if (found[0] == 0) {
                throw new UsageException("--episode " + only + ": is not in " + file);
            }
        }

        private static String line(EpisodeStep step) {
            String time = Shown.number(step.t(), "%.1f");
            String turn = step.turn() == null ? Shown.NONE : String.valueOf(step.turn());
            String text = StringUtils.abbreviate(StringUtils.normalizeSpace(text(step)), SHOWN);
            return String.format(Locale.ROOT, "%4d %8s %3s  %s", step.step(), time, turn, text);
        }

        static String text(EpisodeStep step) {
            if (step instanceof EpisodeStep.Event event) {
                return Stream.of(event.app(), event.name())
                                .filter(Objects::nonNull)
                                .collect(Collectors.joining(".", "event ", ": "))
                        + Objects.requireNonNullElse(event.seen().agent(), "no text");
            }
            if (step instanceof EpisodeStep.Action action) {
                return name(action.actor()) + " calls " + action.app() + "." + action.function() + " " + action.args()
                        + (action.error() == null ? "" : " -> error: " + action.error());
            }
            if (step instanceof EpisodeStep.Decision decision) {
                return "decision " + name(decision.act())
                        + (decision.p() == null ? "" : " at p " + Shown.number(decision.p(), "%.3f"))
                        + (decision.reason() == null ? "" : ": " + decision.reason());
            }
            if (step instanceof EpisodeStep.Proposal proposal) {
                return "proposal " + String.join(" | ", proposal.texts());
            }
            if (step instanceof EpisodeStep.Reply reply) {
                String to = reply.to() == null ? " to no open proposal" : " to step " + reply.to();
                return "user: " + name(reply.answer()) + to + ": " + reply.text();
            }
            if (step instanceof EpisodeStep.Message message) {
                return name(message.from()) + " says " + message.text();
            }
            if (step instanceof EpisodeStep.Intent intent) {
                return "intent " + intent.index() + " " + name(intent.status());
            }
            if (step instanceof EpisodeStep.Label label) {
                return "label of step " + label.to() + ": "
                        + (label.need() == null ? "" : label.need() ? "help wanted, " : "no help wanted, ")
                        + label.annotations().stream().filter(yes -> yes).count() + " of "
                        + label.annotations().size() + " agree";
            }
            if (step instanceof EpisodeStep.Check check) {
                return "check " + check.id() + ": " + check.value();
            }
            return "end: " + name(((EpisodeStep.End) step).why());
        }

        private static String name(Enum<?> value) {
            return EnumName.of(value);
        }
    }

    /** Implements the command {@code prpf eval episodes score}. */
    @Command(
            name = "score",
            description = {
                "Count proposals, acceptances, reads and writes of episodes, and the users' decisions.",
                "--mode pare counts as PARE's code does: each call is a read, a rejected proposal can still be"
                        + " accepted.",
                "--mode strict: a reply closes its proposal; waits and messages are not reads; writes need an"
                        + " acceptance."
            },
            footer = "  ./prpf eval episodes score episodes.jsonl --mode pare")
    static final class Score implements Runnable {
        @Parameters(paramLabel = "FILE", description = "Episodes.")
        private Path file;

        @Option(
                names = "--mode",
                defaultValue = "strict",
                description = "How to count: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
        private EpisodeMetrics.Mode mode;

        @Option(
                names = "--scenarios",
                paramLabel = "DIR",
                description = "Decide success by the checks of these scenarios instead of the source's verdict.")
        private @Nullable Path scenarios;

        @Option(
                names = "--report",
                paramLabel = "FILE",
                description = "Also write a page (.html) with a timeline for each day.")
        private @Nullable Path report;

        @Mixin
        private JsonOption output;

        private @Nullable Boolean verdict(Episode episode) {
            if (scenarios == null) {
                return episode.end().verdict();
            }
            String name = episode.header().scenario();
            try {
                Scenario.requireName(name);
            } catch (IllegalArgumentException e) {
                throw new InvalidDataException(file + ": " + e.getMessage());
            }
            Path expected = scenarios.resolve(name + ".yaml");
            if (!Files.exists(expected)) {
                throw new UsageException("--scenarios " + scenarios + ": has no " + name
                        + ".yaml; a scenario's file is named like its key scenario");
            }
            Scenario scenario = Scenario.read(expected);
            return EpisodeCheck.faults(scenario, episode, mode).isEmpty();
        }

        @Override
        public void run() {
            List<EpisodeMetrics> each = new ArrayList<>();
            List<DayMetrics> days = new ArrayList<>();
            EpisodeReport page = new EpisodeReport();
            new EpisodeFile().read(file, episode -> {
                each.add(EpisodeMetrics.of(episode, mode, verdict(episode)));
                Optional.ofNullable(DayMetrics.of(episode)).ifPresent(days::add);
                page.add(episode);
            });
            EpisodeScore score = EpisodeScore.of(mode, each, days);
            if (report != null) {
                page.write(report, score, table(score));
            }
            output.printLines(score, () -> lines(score));
        }

        private static Table table(EpisodeScore score) {
            Table.Builder table = Table.of(
                    "episode", "turns", "proposals", "accepted", "orphan replies", "reads", "writes", "decisions");
            score.each()
                    .forEach(one -> table.row(
                            one.episode(),
                            one.turns(),
                            one.proposals(),
                            one.accepted(),
                            one.orphanReplies(),
                            one.reads(),
                            one.writes(),
                            decisions(one)));
            return table.captioned("Episodes");
        }

        private static List<String> lines(EpisodeScore score) {
            DayMetrics.Score day = score.day();
            return List.of(
                    table(score).toText().stripTrailing(),
                    day == null ? "no episode has goals" : days(day),
                    score.episodes() + " episodes: success " + Shown.percent(score.success())
                            + " %, proposals per turn "
                            + Shown.percent(score.proposalRate()) + " %, accepted "
                            + Shown.percent(score.acceptanceRate()) + " %, writes without permission "
                            + score.withoutPermission());
        }

        private static String days(DayMetrics.Score day) {
            Table.Builder table = Table.of("figure", "value", "95 % interval", "n");
            day.figures().forEach((name, figure) -> {
                Interval interval = figure.interval();
                table.row(
                        name,
                        Shown.number(figure.value(), "%.2f"),
                        interval == null
                                ? null
                                : String.format(Locale.ROOT, "%.2f to %.2f", interval.low(), interval.high()),
                        Shown.number(figure.n(), "%.0f"));
            });
            day.withheld().forEach((reason, n) -> table.row("withheld: " + reason, n, null, null));
            return table.captioned("Goals").toText().stripTrailing();
        }

        private static @Nullable String decisions(EpisodeMetrics metrics) {
            List<EpisodeMetrics.Dialogue> dialogues = metrics.dialogues();
            return dialogues == null
                    ? null
                    : dialogues.stream()
                            .map(one -> one.decision().name().toLowerCase(Locale.ROOT)
                                    + (one.accepted() ? " (accepted)" : ""))
                            .collect(Collectors.groupingBy(
                                    Function.identity(), LinkedHashMap::new, Collectors.counting()))
                            .entrySet()
                            .stream()
                            .map(one -> one.getKey() + " " + one.getValue())
                            .collect(Collectors.joining(", "));
        }
    }
}
