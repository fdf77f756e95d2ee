package dev.prpf.data.world.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.ThirdPartyRecords;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.world.scenario.Scenario.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PareScenarioTest {
    @TempDir
    private Path folder;

    private static Scenario again(Scenario scenario) {
        return StrictYaml.readText("again.yaml", scenario.write(), Scenario.class, List.of());
    }

    @Test
    void toScenario_namesEntriesAndCallsAndIsReadBack() throws IOException {
        Scenario scenario = PareScenario.read(PareScenarioFile.write(folder)).toScenario();
        assertThat(scenario.start()).isEqualTo("2025-10-09T08:53:20Z");
        assertThat(scenario.apps()).containsOnlyKeys("System", "Notes", "Emails");
        assertThat(scenario.apps().get("System")).isEqualTo(new Scenario.App("system", Map.of()));
        Scenario.App notes = Objects.requireNonNull(scenario.apps().get("Notes"));
        assertThat(Objects.requireNonNull(notes.start().get("folders")).at("/Talks/notes/n1"))
                .hasToString(
                        "{\"title\":\"Talk\",\"kind\":\"Old\",\"size\":100000.0,\"id\":\"6e12\",\"when\":\"10:00\"}");
        assertThat(scenario.events()).extracting(Entry::call).containsExactly("Emails.receive", null, "Emails.receive");
        assertThat(scenario.events().get(2).after()).containsExactly("e2");
        assertThat(scenario.expected())
                .extracting(Entry::id, Entry::call, Entry::actor)
                .hasToString(
                        "[(\"x1\", \"Notes.search\", AGENT), (\"x2\", \"propose\", AGENT), (\"x3\", \"accept\", USER),"
                                + " (\"x4\", \"Notes.delete\", AGENT), (\"x5\", \"tell\", AGENT)]");
        assertThat(scenario.checks().needed()).isEqualTo(Map.of("x2", List.of(), "x4", List.of("note_id")));
        assertThat(again(scenario)).isEqualTo(scenario);
    }

    @Test
    void toEpisode_isTheRecordedRun() throws IOException {
        List<EpisodeStep> steps =
                PareScenario.read(PareScenarioFile.write(folder)).toEpisode().steps();
        assertThat(steps)
                .extracting(step -> step.getClass().getSimpleName())
                .containsExactly("Event", "Action", "Proposal", "Reply", "Action", "Message", "Event", "End");
        assertThat(((EpisodeStep.Reply) steps.get(3)).to()).isEqualTo(2);
        EpisodeStep.Action write = (EpisodeStep.Action) steps.get(4);
        assertThat(write.actor()).isEqualTo(EpisodeStep.Actor.EXECUTE);
        assertThat(write.effect()).isEqualTo(EpisodeStep.Effect.WRITE);
    }

    @Test
    void aStateOfPython_becomesPlainTexts() throws IOException {
        Path file = PareScenarioFile.write(folder);
        Files.writeString(
                file,
                Files.readString(file)
                        .replace(
                                "\"10:00\"",
                                "\"datetime.datetime(2025, 11, 4, 9, 30, tzinfo=datetime.timezone.utc)\""));
        Scenario.App notes = Objects.requireNonNull(
                PareScenario.read(file).toScenario().apps().get("Notes"));
        assertThat(Objects.requireNonNull(notes.start().get("folders")).findValue("when"))
                .hasToString("\"2025-11-04 09:30:00\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2025, 11, 4, 99, 77", "99999999999, 1, 1, 0, 0", "2025, , 4", "2025"})
    void aTimeOfPythonThatIsNone_isRefused(String time) throws IOException {
        Path file = PareScenarioFile.write(folder);
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("\"10:00\"", "\"datetime.datetime(" + time + ", tzinfo=datetime.timezone.utc)\""));
        PareScenario scenario = PareScenario.read(file);
        assertThatThrownBy(scenario::toScenario)
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(scenario.scenario() + ": datetime(" + time
                        + ") is no time with year, month, day, hour and minute");
    }

    @Test
    void aNameThatLeadsOutOfTheFolder_isRefused() throws IOException {
        Path file = PareScenarioFile.write(folder);
        Files.writeString(file, Files.readString(file).replaceFirst("\"scenario\": *\"", "$0../"));
        assertThatThrownBy(() -> PareScenario.read(file)).hasMessageContaining("must be a name of letters");
    }

    @Test
    void read_namesTheBrokenKey() throws IOException {
        Path file = folder.resolve("broken.json");
        Files.writeString(file, Files.readString(PareScenarioFile.write(folder)).replace("\"start\":", "\"begin\":"));
        assertThatThrownBy(() -> PareScenario.read(file))
                .hasMessageStartingWith(file + ": is no scenario of PARE: \"start\": Missing creator property");
    }

    @Test
    void releasedScenarios_areReadBackEqualAndHaveTheRecordedTimes() throws IOException {
        Path scenarios =
                ThirdPartyRecords.folder("pare/scenarios", "the scenarios of PARE as data have no public address");
        int calls = 0;
        List<Path> written = new ArrayList<>();
        try (Stream<Path> files = Files.list(scenarios)) {
            for (Path file : files.filter(one -> !one.getFileName().toString().startsWith("_"))
                    .toList()) {
                PareScenario pare = PareScenario.read(file);
                Scenario scenario = pare.toScenario();
                assertThat(again(scenario)).as(scenario.scenario()).isEqualTo(scenario);
                written.add(Files.writeString(folder.resolve(scenario.scenario() + ".yaml"), scenario.write()));
                calls += pare.toEpisode().steps().size() - 1;
            }
        }
        assertThat(calls).isEqualTo(916);
        assertThat(ScenarioCheck.read(written)).as("without a defect").hasSize(103);
    }
}
