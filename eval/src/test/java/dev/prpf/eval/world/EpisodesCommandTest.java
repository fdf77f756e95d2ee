package dev.prpf.eval.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.data.episode.EpisodeStep;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class EpisodesCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private record Ran(int status, String output) {}

    private static Ran run(Object... arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            int status = new CommandLine(new EpisodesCommand())
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .setExecutionExceptionHandler((e, c, p) -> {
                        ResultStream.line(String.valueOf(e.getMessage()));
                        return e instanceof PrpfException known
                                ? ExitCode.of(known).status()
                                : 1;
                    })
                    .execute(Stream.of(arguments).map(String::valueOf).toArray(String[]::new));
            return new Ran(status, bytes.toString(StandardCharsets.UTF_8));
        } finally {
            ResultStream.redirect(before);
        }
    }

    private Path imported() throws IOException {
        Path trace = PareTraceFile.refusedThenAccepted().write(directory.resolve("tidy_up_run_2.json"));
        Path file = directory.resolve("episodes.jsonl");
        Ran ran = run("import", "--from=pare", "--out", file, trace);
        assertThat(ran.output()).isEqualTo("wrote 1 episodes with 18 steps to " + file + "\n");
        return file;
    }

    @Test
    void score_readsNoScenarioOutsideOfItsFolder() throws IOException {
        Path file = imported();
        Files.writeString(
                file, Files.readString(file).replaceFirst("\"scenario\":\"[^\"]*\"", "\"scenario\":\"../x\""));
        Ran ran = run("score", "--scenarios", directory, file);
        assertThat(ran.status()).isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(ran.output()).contains(file + ": scenario = ../x must be a name of letters");
    }

    private static JsonNode score(Path file, String mode) throws IOException {
        return JSON.readTree(run("score", "--json", "--mode", mode, file).output());
    }

    @Test
    void imported_hasTheStepsOfTheTrace() throws IOException {
        List<Episode> episodes = new ArrayList<>();
        new EpisodeFile().read(imported(), episodes::add);
        Episode episode = episodes.get(0);
        assertThat(episode.header().actors()).isEqualTo(Map.of("user", "u", "observe", "o", "execute", "e"));
        assertThat(episode.header().run()).isEqualTo(2);
        assertThat(episode.end().verdict()).isTrue();
        EpisodeStep.Event event = only(episode, EpisodeStep.Event.class).get(0);
        assertThat(event.args()).hasToString("{folder=\"Inbox\"}");
        assertThat(event.seen()).isEqualTo(new EpisodeStep.Seen(null, "New email: Cancelled\n\nThe talk is off."));
        List<EpisodeStep.Action> actions = only(episode, EpisodeStep.Action.class);
        assertThat(actions)
                .extracting(EpisodeStep.Action::function)
                .containsExactly("open", "search", "touch", "delete", "go_home", "list");
        assertThat(actions.get(2).cause()).isEqualTo(actions.get(1).step());
        assertThat(actions.get(3).effect()).isEqualTo(EpisodeStep.Effect.WRITE);
        assertThat(actions.get(4).error()).isEqualTo("no such argument");
        List<EpisodeStep.Reply> replies = only(episode, EpisodeStep.Reply.class);
        assertThat(replies.get(0).to())
                .isEqualTo(only(episode, EpisodeStep.Proposal.class).get(0).step());
        assertThat(replies.get(1).to()).as("no proposal is open").isNull();
    }

    private static <T extends EpisodeStep> List<T> only(Episode episode, Class<T> kind) {
        return episode.steps().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Test
    void score_pareLeavesARefusedProposalOpen_strictClosesIt() throws IOException {
        Path file = imported();
        JsonNode pare = score(file, "pare");
        assertThat(pare.at("/each/0"))
                .hasToString(
                        "{\"episode\":\"tidy_up_run_2\",\"verdict\":true,\"turns\":5,\"proposals\":2,\"accepted\":1,"
                                + "\"orphan_replies\":1,\"reads\":11,\"writes\":0,\"without_permission\":1,"
                                + "\"dialogues\":[{\"decision\":\"reject\",\"accepted\":false}]}");
        assertThat(pare.get("acceptance_rate").doubleValue()).isEqualTo(50);
        JsonNode strict = score(file, "strict");
        assertThat(strict.at("/each/0"))
                .hasToString(
                        "{\"episode\":\"tidy_up_run_2\",\"verdict\":true,\"turns\":5,\"proposals\":2,\"accepted\":0,"
                                + "\"orphan_replies\":1,\"reads\":2,\"writes\":1,\"without_permission\":1,"
                                + "\"dialogues\":[{\"decision\":\"reject\",\"accepted\":false},"
                                + "{\"decision\":\"truncated\",\"accepted\":false}]}");
        assertThat(strict.get("proposal_rate").doubleValue()).isEqualTo(40);
    }

    @Test
    void show_printsAStepALine() throws IOException {
        Path file = imported();
        assertThat(run("show", file).output())
                .contains("tidy_up_run_2 (pare)\n", "observe calls Notes.search {query=\"talk\"}")
                .contains("user: accept to no open proposal: accept");
        Ran ran = run("show", file, "--episode=other");
        assertThat(ran).isEqualTo(new Ran(2, "--episode other: is not in " + file + "\n"));
    }

    @Test
    void score_writesAPageWithATimelineOfEachDay() throws IOException {
        Path page = directory.resolve("page.html");
        Path file = imported();
        assertThat(run("score", "--report", page, file).status()).isZero();
        String html = Files.readString(page);
        assertThat(html)
                .contains("Episodes, counted in mode strict", "Writes without permission", "Steps of tidy_up_run_2")
                .contains("<title>3: observe calls Notes.search {query=&quot;talk&quot;}")
                .contains("aria-label=\"tidy_up_run_2, 20");
        assertThat(html.split("<svg ", -1)).as("one day").hasSize(2);
    }

    @Test
    void proactiveBenchAndPare_keepTheirMetricsThroughAFile() throws IOException {
        Path rows = Files.writeString(
                directory.resolve("rows.jsonl"),
                """
                {"obs": [{"time": "1.5", "event": "a"}], "pred_task": "Help.", "valid": true, "help_needed": true, "annotation": [true, true], "category": "CD"}
                {"obs": [{"time": "1.5", "event": "a"}], "pred_task": "Or so.", "valid": false, "help_needed": true, "annotation": [false, false], "category": "FA"}
                """);
        Path file = directory.resolve("labelled.jsonl");
        assertThat(run("import", "--from=proactivebench", "--out", file, rows).output())
                .isEqualTo("wrote 1 episodes with 10 steps to " + file + "\n");
        assertThat(score(file, "strict").at("/each/0"))
                .hasToString("{\"episode\":\"rows-0\",\"verdict\":null,\"turns\":1,\"proposals\":2,\"accepted\":1,"
                        + "\"orphan_replies\":0,\"reads\":0,\"writes\":0,\"without_permission\":0,"
                        + "\"dialogues\":[{\"decision\":\"accept\",\"accepted\":true},"
                        + "{\"decision\":\"reject\",\"accepted\":false}]}");
        assertThat(run("show", file).output()).contains("label of step 2: help wanted, 2 of 2 agree");
    }

    @Test
    void score_namesTheLineOfATruncatedFile() throws IOException {
        Path file = imported();
        List<String> lines = Files.readAllLines(file);
        Files.write(file, lines.subList(0, 8));
        assertThat(run("score", file))
                .isEqualTo(new Ran(
                        65, file + ":8: the episode has no end; the file is truncated, restore or import it again\n"));
        Files.writeString(file, String.join("\n", lines.subList(0, 8)).replaceFirst(".{9}$", ""));
        assertThat(run("score", file).output()).startsWith(file + ":8: is no step: ");
    }

    @Test
    void score_rejectsAnotherVersionAndAWrongOrder() throws IOException {
        Path file = imported();
        List<String> lines = Files.readAllLines(file);
        Files.writeString(file, lines.get(0).replace("episode/1", "episode/2"));
        assertThat(run("score", file))
                .isEqualTo(new Ran(
                        65,
                        file
                                + ":1: is no header of an episode: format = \"prpf-episode/2\", must be"
                                + " \"prpf-episode/1\"; import the episode again with this version\n"));
        Files.writeString(file, lines.get(0).replaceFirst("\"start\":\"[^\"]*", "\"start\":\"noon"));
        assertThat(run("score", file))
                .isEqualTo(new Ran(
                        65,
                        file
                                + ":1: is no header of an episode: start = \"noon\", must be a time as in"
                                + " \"2026-03-02T08:00:00+08:00\"\n"));
        lines.add(2, lines.remove(3));
        Files.write(file, lines);
        assertThat(run("score", file))
                .isEqualTo(new Ran(65, file + ":3: step = 2, must be 1: steps are numbered in order\n"));
    }

    @Test
    void import_rejectsAnotherVersionAndWritesNoFile() throws IOException {
        PareTraceFile trace = PareTraceFile.refusedThenAccepted();
        trace.trace.put("version", "are_simulation_v9");
        Path file = trace.write(directory.resolve("t.json"));
        Path out = directory.resolve("e.jsonl");
        assertThat(run("import", "--from=pare", "--out", out, file))
                .isEqualTo(new Ran(
                        65,
                        file + ": /version: is \"are_simulation_v9\", must be \"are_simulation_v1\"; give a trace that"
                                + " PARE exports with --export\n"));
        assertThat(out).doesNotExist();
    }

    /** Expects the counts that PARE's own parser gives for its five released traces. */
    @ParameterizedTest
    @CsvSource({
        "add_missing_group_contacts_run_1, false, 1, 0, 0, 18, 3, '[reject F]'",
        "apartment_feature_comparison_query_run_4, true, 1, 1, 1, 17, 1, '[gather_context T]'",
        "cancelled_meeting_note_cleanup_run_4, false, 2, 2, 1, 17, 2, '[reject F, gather_context T]'",
        "duplicate_order_cancellation_check_run_4, false, 1, 0, 0, 15, 4, '[gather_context F]'",
        "urgent_meeting_bumps_personal_errand_run_3, false, 2, 1, 1, , 5, 'none'"
    })
    void releasedTraces_haveParesCounts(
            String name,
            boolean verdict,
            int proposals,
            int acceptedPare,
            int acceptedStrict,
            Integer readsPare,
            int readsStrict,
            String dialogues)
            throws IOException {
        String root = System.getProperty("prpf.testdata", System.getenv().getOrDefault("PRPF_TESTDATA", ""));
        Path trace = Path.of(root, "pare", "traces", name + ".json");
        assumeTrue(Files.exists(trace), () -> "skipped: no " + trace + "; set PRPF_TESTDATA");
        Path file = directory.resolve("real.jsonl");
        assertThat(run("import", "--from=pare", "--out", file, trace).status()).isZero();
        JsonNode pare = score(file, "pare").at("/each/0");
        JsonNode strict = score(file, "strict").at("/each/0");
        assertThat(List.of(pare.get("verdict").booleanValue(), pare.get("turns").intValue()))
                .isEqualTo(List.of(verdict, 10));
        assertThat(pare.get("proposals").intValue()).isEqualTo(proposals);
        assertThat(pare.get("accepted").intValue()).isEqualTo(acceptedPare);
        assertThat(strict.get("accepted").intValue()).isEqualTo(acceptedStrict);
        if (readsPare != null) {
            assertThat(pare.get("reads").intValue()).isEqualTo(readsPare);
        }
        assertThat(strict.get("reads").intValue()).isEqualTo(readsStrict);
        List<String> decisions = new ArrayList<>();
        pare.get("dialogues")
                .forEach(one -> decisions.add(
                        one.get("decision").asText() + (one.get("accepted").booleanValue() ? " T" : " F")));
        assertThat(pare.get("dialogues").isNull() ? "none" : decisions.toString())
                .isEqualTo(dialogues);
    }
}
