package dev.prpf.data.episode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.episode.EpisodeStep.Act;
import dev.prpf.data.episode.EpisodeStep.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProactiveBenchTraceTest {
    private static final String TRACE =
            """
            [{"observation": {"time": "1717.5", "event": "The user opens a file."}, "agent_response": ["Explain the file."],
              "task_status": false, "other_infomation": {"Purpose": "p"}},
             {"observation": {"time": "1700.25", "event": "The user waits."}, "agent_response": ["null"], "task_status": false},
             {"observation": {"time": "1720", "event": "The user types.", "user": "Ann"}, "agent_response": [], "task_status": false},
             {"observation": {"time": "1730", "event": "The user saves."}, "agent_response": {"candidate_task": ["x"]},
              "task_status": false}]
            """;
    private static final String FIRST = "{\"time\": \"Day 1, 11:00 PM\", \"event\": \"The user opens a browser.\"}";
    private static final String ROWS =
            """
            {"obs": [%1$s], "pred_task": "Search.", "valid": true, "help_needed": true, "annotation": [true, true, false], "category": "CD"}
            {"obs": [%1$s, %2$s], "pred_task": null, "valid": false, "help_needed": true, "annotation": [false, false], "category": "MN"}
            {"obs": [%1$s], "pred_task": "Close it.", "valid": false, "help_needed": true, "annotation": [false, false, true], "category": "FA"}
            """
                    .formatted(FIRST, "{\"time\": \"Day 2, 12:05 AM\", \"event\": \"The user reads.\"}");

    @TempDir
    private Path folder;

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        return Files.writeString(file, text);
    }

    private static List<Episode> read(Path file) {
        List<Episode> episodes = new ArrayList<>();
        new ProactiveBenchTrace().read(file, episodes::add);
        return episodes;
    }

    @Test
    void aTrace_keepsTheOrderOfItsListAndTellsFailuresFromSilence() throws IOException {
        Episode episode =
                read(write("traces_new/some-model/code_11.json", TRACE)).get(0);
        assertThat(episode.header().episode()).isEqualTo("some-model/code_11");
        assertThat(episode.header().actors()).containsEntry("observe", "some-model");
        assertThat(episode.header().clock()).isEqualTo(Episode.Clock.ORDER);
        assertThat(only(episode, EpisodeStep.Event.class))
                .extracting(EpisodeStep.Event::t)
                .containsExactly(0.0, -17.25, 2.5, 12.5);
        assertThat(only(episode, EpisodeStep.Decision.class))
                .extracting(EpisodeStep.Decision::act)
                .containsExactly(Act.ACT, Act.SILENT, Act.SILENT);
        assertThat(only(episode, EpisodeStep.Proposal.class).get(0).texts()).containsExactly("Explain the file.");
        assertThat(only(episode, EpisodeStep.Check.class).get(0).reason())
                .isEqualTo("the response is an object, not a list: the call failed");
        assertThat(episode.end().turns()).isEqualTo(4);
    }

    @Test
    void rows_areJoinedToTheLongestObservationsOfTheirTrace() throws IOException {
        Episode episode = read(write("made.jsonl", ROWS)).get(0);
        assertThat(episode.header().episode()).isEqualTo("made-0");
        assertThat(only(episode, EpisodeStep.Event.class))
                .extracting(EpisodeStep.Event::t)
                .containsExactly(0.0, 3900.0);
        List<EpisodeStep.Label> labels = only(episode, EpisodeStep.Label.class);
        assertThat(labels).extracting(EpisodeStep.Label::valid).containsExactly(true, false, false);
        assertThat(labels.get(0).annotations()).containsExactly(true, true, false);
        assertThat(labels.get(2).need()).isTrue();
        assertThat(episode.steps().get(labels.get(2).to())).isInstanceOf(EpisodeStep.Decision.class);
        assertThat(only(episode, EpisodeStep.Reply.class))
                .extracting(EpisodeStep.Reply::answer)
                .containsExactly(Answer.ACCEPT, Answer.REJECT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Day 99999999999, 1:00 PM", "Day 1, 99:77 PM", "Day 1, 13:00 PM", "9999999999999999999"})
    void aTimeThatIsNone_isRefused(String time) throws IOException {
        Path file = write("code_11.json", TRACE.replaceFirst("\"time\": ?\"[^\"]*\"", "\"time\": \"" + time + "\""));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageEndingWith("time = \"" + time + "\", must be seconds, or a time as in \"Day 1, 11:00 PM\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "null"})
    void aRowWithoutATask_isSilence(String task) throws IOException {
        String rows = ROWS.replaceAll("\"pred_task\": ?\"[^\"]*\"", "\"pred_task\": \"" + task + "\"");
        Episode episode = read(write("made.jsonl", rows)).get(0);
        assertThat(only(episode, EpisodeStep.Proposal.class)).isEmpty();
        assertThat(only(episode, EpisodeStep.Reply.class)).isEmpty();
        assertThat(only(episode, EpisodeStep.Decision.class))
                .hasSize(3)
                .allMatch(decision -> decision.act() == Act.SILENT);
    }

    @Test
    void writtenAndReadAgain_episodesAreEqual() throws IOException {
        for (Path file : List.of(write("made.jsonl", ROWS), write("code_11.json", TRACE))) {
            assertThat(again(read(file))).isEqualTo(read(file));
        }
    }

    private List<Episode> again(List<Episode> episodes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Episode episode : episodes) {
            EpisodeFile.write(out, episode);
        }
        Path file = Files.write(folder.resolve("episodes.jsonl"), out.toByteArray());
        List<Episode> read = new ArrayList<>();
        new EpisodeFile().read(file, read::add);
        return read;
    }

    @Test
    void aLabelOfALaterStep_isRefused() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        EpisodeFile.write(out, read(write("made.jsonl", ROWS)).get(0));
        Path file = write(
                "episodes.jsonl",
                out.toString(StandardCharsets.UTF_8).replace("\"to\":2,\"need\"", "\"to\":3,\"need\""));
        assertThatThrownBy(() -> new EpisodeFile().read(file, episode -> {}))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(file + ":5: to = 3, must be an earlier step");
    }

    @Test
    void anIntent_isWrittenAndReadStrictly() throws IOException {
        Episode trace = read(write("code_11.json", TRACE)).get(0);
        EpisodeStep.Intent intent = new EpisodeStep.Intent(0, null, 3, 1, EpisodeStep.IntentStatus.INFERRED, "judge");
        Episode episode = new Episode(
                trace.header(), List.of(intent, new EpisodeStep.End(1, null, null, true, EpisodeStep.Why.DONE, 4)));
        assertThat(again(List.of(episode))).containsExactly(episode);
        Path file = folder.resolve("episodes.jsonl");
        Files.writeString(file, Files.readString(file).replace("inferred", "guessed"));
        assertThatThrownBy(() -> new EpisodeFile().read(file, one -> {}))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(file + ":2: is no step: \"status\": ")
                .hasMessageContaining("\"guessed\": not one of the values accepted");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            [\"Explain the file.\"] | 7 | /0/agent_response = 7, must be a list of tasks
            \"1720\" | \"noon\" | /2: time = "noon", must be seconds, or a time as in "Day 1, 11:00 PM"
            \"task_status\": false, \"other | \"task_state\": false, \"other | /0: is no event of ProactiveBench: "task_status": Missing
            """)
    void anInvalidTrace_isRefusedWithPlaceValueAndRule(String before, String after, String message) throws IOException {
        Path file = write("code_11.json", TRACE.replace(before, after));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageStartingWith(file + ": " + message);
    }

    @Test
    void invalidRows_areRefusedWithLineValueAndRule() throws IOException {
        Path other = write("a.jsonl", ROWS.replace("}]", "}, " + FIRST + "]"));
        assertThatThrownBy(() -> read(other))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(other + ":1: obs has 2 events, must be the beginning of the row at " + other + ":2");
        Path untyped = write("b.jsonl", ROWS.replace("[false, false]", "[0, 1]"));
        assertThatThrownBy(() -> read(untyped))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageStartingWith(untyped + ":2: is no row of ProactiveBench: \"annotation\": ");
        Path empty = write("c.jsonl", ROWS.replace("[" + FIRST + "]", "[]"));
        assertThatThrownBy(() -> read(empty))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(empty + ":1: is no row of ProactiveBench: obs = [], must not be empty");
        Path list = write("d.json", "{}");
        assertThatThrownBy(() -> read(list))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(list + ": is OBJECT of 0 elements, must be a list of events; labelled rows need the ending"
                        + " .jsonl");
    }

    private static <T extends EpisodeStep> List<T> only(Episode episode, Class<T> kind) {
        return episode.steps().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static Path released() {
        String root = System.getProperty("prpf.testdata", System.getenv().getOrDefault("PRPF_TESTDATA", ""));
        Path data = Path.of(root, "gate", "proactivebench");
        assumeTrue(Files.isDirectory(data), () -> "skipped: no " + data + "; set PRPF_TESTDATA");
        return data;
    }

    @Test
    void releasedRows_haveTheirCounts() throws IOException {
        List<Episode> train = read(released().resolve("reward_data/train_data.jsonl"));
        List<Episode> test = read(released().resolve("reward_data/test_data.jsonl"));
        assertThat(List.of(train.size(), test.size())).containsExactly(16, 14);
        assertThat(labels(train)).isEqualTo(Map.of("rows", 1629L, "need", 607L, "valid", 623L, "silent", 242L));
        assertThat(labels(test)).isEqualTo(Map.of("rows", 120L, "need", 69L, "valid", 60L, "silent", 60L));
        assertThat(again(train)).isEqualTo(train);
    }

    private static Map<String, Long> labels(List<Episode> episodes) {
        List<EpisodeStep.Label> labels = episodes.stream()
                .flatMap(episode -> only(episode, EpisodeStep.Label.class).stream())
                .toList();
        return Map.of(
                "rows", (long) labels.size(),
                "need",
                        labels.stream()
                                .filter(label -> Boolean.TRUE.equals(label.need()))
                                .count(),
                "valid",
                        labels.stream()
                                .filter(label -> Boolean.TRUE.equals(label.valid()))
                                .count(),
                "silent",
                        episodes.stream()
                                .flatMap(episode -> only(episode, EpisodeStep.Decision.class).stream())
                                .filter(decision -> decision.act() == Act.SILENT)
                                .count());
    }

    /** Expects the proposals of the released result files, less the texts "null" that those count as proposals. */
    @Test
    void releasedTraces_haveTheProposalsOfTheirResultFilesWithoutNull() throws IOException {
        Map<String, Long> proposals = new TreeMap<>();
        Map<String, Long> failed = new TreeMap<>();
        int turns = 0;
        try (FileSystem zip = FileSystems.newFileSystem(released().resolve("model_traces.zip"));
                Stream<Path> files = Files.walk(zip.getPath("eval", "traces_new"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".json")).toList()) {
                Episode episode = read(file).get(0);
                turns += Objects.requireNonNull(episode.end().turns());
                if (!String.valueOf(file.getFileName()).matches("(code|writing)_1[1-6]\\.json")) {
                    continue; // written by a model; the result files do not count it
                }
                String model = String.valueOf(episode.header().actors().get("observe"));
                proposals.merge(
                        model, (long) only(episode, EpisodeStep.Proposal.class).size(), Long::sum);
                failed.merge(
                        model, (long) only(episode, EpisodeStep.Check.class).size(), Long::sum);
            }
        }
        assertThat(turns).as("events of all traces").isEqualTo(6205);
        assertThat(proposals)
                .hasSize(15)
                .containsEntry("claude-3-sonnet-20240229", 134L - 67)
                .containsEntry("deepseek-7b-chat", 188L - 36)
                .containsEntry("gpt-4o", 226L - 10)
                .containsEntry("llama3.1-8b", 224L - 25)
                .containsEntry("activellama", 211L)
                .containsEntry("activeqwen", 223L);
        failed.values().removeIf(count -> count == 0);
        assertThat(failed).isEqualTo(Map.of("claude-3-5-sonnet", 21L));
    }
}
