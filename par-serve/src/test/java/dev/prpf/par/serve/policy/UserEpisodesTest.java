package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Act;
import dev.prpf.data.episode.EpisodeStep.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Episodes of the data that a server's store exports. */
class UserEpisodesTest {
    @TempDir
    private Path folder;

    private final Policies.HandClock clock = new Policies.HandClock(Policies.NOON);

    /** Exports two interventions a minute apart with the feedback on both, then a silence. */
    private Path export(String... overrides) throws IOException {
        Account account = new Account("local", "ann");
        Path file = folder.resolve("ann.json");
        try (UserPolicies policies = Policies.open(folder, clock, overrides)) {
            for (boolean accepted : new boolean[] {true, false}) {
                Policies.intervene(policies, Policies.moment("ann"));
                Instant said = clock.instant().plusSeconds(5);
                policies.state().addFeedback(account, new UserState.Answer(accepted, said), null, 0);
                clock.advance(Duration.ofSeconds(60));
            }
            policies.record(policies.admit(Policies.moment("ann")), Policies.silent("below-threshold"), null);
            try (OutputStream out = Files.newOutputStream(file)) {
                new UserExport(policies, account, 20).write(out);
            }
        }
        return file;
    }

    private static List<Episode> read(Episode.Source source, Path file) {
        List<Episode> episodes = new ArrayList<>();
        source.read(file, episodes::add);
        return episodes;
    }

    @Test
    void anExport_isAnEpisodeInTheOrderOfItsTimes() throws IOException {
        Episode episode = read(new UserEpisodes(), export()).get(0);
        assertThat(episode.header().episode()).isEqualTo("ann");
        assertThat(episode.header().start()).isEqualTo("2026-03-02T12:00:00Z");
        assertThat(episode.steps().stream().map(step -> step.getClass().getSimpleName() + " " + step.t()))
                .containsExactly(
                        "Event 0.0",
                        "Decision 0.0",
                        "Proposal 0.0",
                        "Reply 5.0",
                        "Event 60.0",
                        "Decision 60.0",
                        "Proposal 60.0",
                        "Reply 65.0",
                        "Event 120.0",
                        "Decision 120.0",
                        "End null");
        assertThat(only(episode, EpisodeStep.Decision.class).get(0))
                .isEqualTo(new EpisodeStep.Decision(1, 0.0, 0, Act.ACT, 0.75, 0.5, null, List.of(), null));
        assertThat(only(episode, EpisodeStep.Decision.class).get(2))
                .isEqualTo(new EpisodeStep.Decision(
                        9, 120.0, 2, Act.SILENT, null, 0.5, "below-threshold", List.of(), null));
        assertThat(only(episode, EpisodeStep.Reply.class))
                .extracting(EpisodeStep.Reply::answer)
                .containsExactly(Answer.ACCEPT, Answer.REJECT);
        assertThat(only(episode, EpisodeStep.Reply.class))
                .extracting(EpisodeStep.Reply::to)
                .containsExactly(2, 6);
        assertThat(only(episode, EpisodeStep.Proposal.class).get(0).texts())
                .as("the audit holds hashes")
                .isEmpty();
        assertThat(only(episode, EpisodeStep.Event.class).get(0).seen().agent()).isNull();
    }

    @Test
    void withContent_requestsAndProposalsHaveTheirTexts() throws IOException {
        Episode episode = read(new UserEpisodes(), export("audit.content=true")).get(0);
        assertThat(only(episode, EpisodeStep.Proposal.class).get(0).texts()).containsExactly("记下来");
        assertThat(only(episode, EpisodeStep.Event.class).get(0).seen().agent()).contains("爱吃辣。", "打开地图");
    }

    @Test
    void writtenAndReadAgain_theEpisodeIsEqual() throws IOException {
        List<Episode> imported = read(new UserEpisodes(), export("audit.content=true"));
        Path file = folder.resolve("episodes.jsonl");
        try (OutputStream out = Files.newOutputStream(file)) {
            EpisodeFile.write(out, imported.get(0));
        }
        assertThat(read(new EpisodeFile(), file)).isEqualTo(imported);
    }

    @Test
    void anInvalidExport_isRefusedWithPlaceValueAndRule() throws IOException {
        Path file = export();
        String text = Files.readString(file);
        Files.writeString(file, text.replaceFirst("2026-03-02T12:02:00Z\",\"decision", "noon\",\"decision"));
        assertRefused(file, ": /audit/0: time = \"noon\", must be a time as in \"2026-03-02T08:00:00Z\"");
        Files.writeString(file, text.replaceFirst("\"passive\"", "\"asked\""));
        assertRefused(file, ": is no export of a user's data: \"audit\": Missing creator property 'passive'");
        Files.writeString(
                file,
                text.replaceFirst("\"audit\":\\[.*", "\"audit\":[]}")
                        .replaceFirst("\"feedback\":\\[[^\\]]*", "\"feedback\":["));
        assertRefused(file, ": audit and feedback are empty, must hold at least one entry");
    }

    private static void assertRefused(Path file, String message) {
        assertThatThrownBy(() -> read(new UserEpisodes(), file))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageStartingWith(file + message);
    }

    private static <T extends EpisodeStep> List<T> only(Episode episode, Class<T> kind) {
        return episode.steps().stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
