package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.eval.efficiency.DecoderFacts;
import dev.prpf.eval.efficiency.RunResources;
import dev.prpf.eval.score.Provenance;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.openai.RemoteUsage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MergeCommandTest {
    private static final List<String> IDS =
            IntStream.range(0, 40).mapToObj(i -> "s" + i).toList();

    @TempDir
    private Path directory;

    private static Prediction prediction(String id) {
        Prediction.Finish finish = id.endsWith("7") ? Prediction.Finish.LENGTH : Prediction.Finish.STOP;
        return new Prediction(id, Prediction.Route.REASONED, null, Map.of(), "?", null, finish, null);
    }

    private Path shard(String name, int index, int count) {
        return shard(name, index + "/" + count, Map.of("data_sha256", "d", "reasoner", "r"), "gate: true\n");
    }

    private Path shard(String name, @Nullable String shard, Map<String, Object> facts, String config) {
        Path file = directory.resolve(name).resolve("predictions.jsonl");
        Map<String, Object> all = new LinkedHashMap<>(facts);
        all.put("predictions", "predictions.jsonl");
        if (shard != null) {
            all.put("shard", shard);
        }
        RunDescription description = new RunDescription("eval run", List.of("--data=x"), config, all);
        try (RunDirectory run = RunDirectory.open(directory.resolve(name), Resume.NEVER, description)) {
            Shard part = Shard.parse(shard);
            Prediction.write(
                    file,
                    IDS.stream()
                            .filter(part::has)
                            .map(MergeCommandTest::prediction)
                            .toList());
            RunResources resources = new RunResources(100.0 + part.index(), 40.0, 80.0, null, null, "no card", 5, 1);
            DecoderFacts decoder = new DecoderFacts(1_000, 2, 16, 4, 8, "cpu");
            RemoteUsage usage = new RemoteUsage(10, 100L, 20L, 1, 0, 0, part.index() == 1 ? 0.5 : null);
            run.finish(RunSummary.of(file, new RunSummary.Took(2, resources, decoder, usage)));
        }
        return file;
    }

    private Path out() {
        return directory.resolve("all").resolve("predictions.jsonl");
    }

    private String merge(Path... files) {
        List<String> arguments = new ArrayList<>(List.of("merge", "--json", "--out", out().toString()));
        for (Path file : files) {
            arguments.add(file.toString());
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        ResultStream.redirect(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            new CommandLine(new EvalCommand())
                    .setExecutionExceptionHandler((e, c, p) -> {
                        throw e;
                    })
                    .execute(arguments.toArray(String[]::new));
        } finally {
            ResultStream.redirect(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private AbstractThrowableAssert<?, ? extends Throwable> refused(int status, Path... files) {
        return assertThatThrownBy(() -> call(files))
                .satisfies(e -> assertThat(ExitCode.of(e).status()).isEqualTo(status));
    }

    /** Without picocli's handling of exceptions. */
    private void call(Path... files) {
        List<String> arguments = new ArrayList<>(List.of("--out", out().toString()));
        for (Path file : files) {
            arguments.add(file.toString());
        }
        CommandLine line = new CommandLine(new MergeCommand());
        line.parseArgs(arguments.toArray(String[]::new));
        ((MergeCommand) line.getCommand()).run();
    }

    @Test
    void allShardsBecomeOneFileOrderedByIdAndOneRun() throws IOException {
        String printed = merge(shard("c", 3, 3), shard("a", 1, 3), shard("b", 2, 3));
        List<String> lines = Files.readAllLines(out());
        assertThat(Prediction.read(out()))
                .extracting(Prediction::id)
                .containsExactlyElementsOf(IDS.stream().sorted().toList());
        List<String> parts = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            parts.addAll(Files.readAllLines(directory.resolve(name).resolve("predictions.jsonl")));
        }
        assertThat(lines).containsExactlyInAnyOrderElementsOf(parts);

        JsonNode run = JsonFile.read(out().resolveSibling("run.json"));
        assertThat(run.path("command").asText()).isEqualTo("eval merge");
        assertThat(run.path("data_sha256").asText()).isEqualTo("d");
        assertThat(run.path("shards")).hasSize(3);
        JsonNode result = run.path("result");
        assertThat(printed.replaceAll("\\s", "")).contains("\"samples\":40");
        assertThat(result.path("samples").intValue()).isEqualTo(40);
        assertThat(result.path("cut").intValue()).isEqualTo(4);
        assertThat(result.path("cut_ids")).hasSize(4);
        assertThat(result.path("seconds").doubleValue()).isEqualTo(6.0);
        assertThat(result.path("run_seconds").doubleValue()).isEqualTo(15.0);
        assertThat(result.path("peak_memory_mb").doubleValue()).isEqualTo(103.0);
        assertThat(result.at("/decoder/parameters").intValue()).isEqualTo(1_000);
        assertThat(result.at("/remote/prompt_tokens").intValue()).isEqualTo(300);
        assertThat(result.at("/remote/cost").isNull()).as("not all are known").isTrue();
    }

    @Test
    void aShardMayHaveNoSample() {
        Path[] shards = IntStream.rangeClosed(1, 60)
                .mapToObj(i -> shard("s" + i, i, 60))
                .toArray(Path[]::new);
        assertThat(shards).anyMatch(file -> file.toFile().length() == 0);
        merge(shards);
        assertThat(Prediction.read(out())).hasSize(IDS.size());
    }

    @Test
    void anExistingFileIsKept() throws IOException {
        Files.createDirectories(out().getParent());
        Files.writeString(out(), "mine");
        refused(2, shard("a", 1, 1)).hasMessageContaining("exists, and no run.json next to it says what made it");
        assertThat(out()).hasContent("mine");
    }

    /** A kill leaves run.json in its initial state, with or without the file. */
    @Test
    void afterAKillTheSameCommandWritesTheSame() throws IOException {
        Path first = shard("a", 1, 2);
        Path second = shard("b", 2, 2);
        merge(first, second);
        byte[] whole = Files.readAllBytes(out());
        Path run = out().resolveSibling("run.json");
        for (boolean written : new boolean[] {false, true}) {
            ObjectNode killed = JsonFile.object(run);
            killed.put("state", "running").remove(List.of("finished", "result"));
            Files.writeString(run, killed.toString());
            if (!written) {
                Files.delete(out());
            }
            assertThat(merge(first, second)).contains("\"samples\"");
            assertThat(out()).hasBinaryContent(whole);
            assertThat(JsonFile.read(run).at("/result/samples").intValue()).isEqualTo(40);
            assertThat(JsonFile.read(run).path("state").asText()).isEqualTo("done");
        }
        assertThat(merge(first, second)).as("a finished one, too").contains("\"samples\"");
        Prediction.write(
                second,
                IDS.stream()
                        .filter(new Shard(2, 2)::has)
                        .map(id -> prediction(id).withoutCost())
                        .map(one -> new Prediction(
                                one.id(), one.route(), 0.5, Map.of(), "other", null, Prediction.Finish.STOP, null))
                        .toList());
        refused(78, first, second).hasMessageContaining("holds a run whose shards was ");
        assertThat(out()).hasBinaryContent(whole);
    }

    @Test
    void theMergedRunKeepsWhatTheShardsWereGiven() {
        merge(shard("a", 1, 1));
        RunFiles files = RunFiles.of(out());
        assertThat(files.argument("--data")).isEqualTo(Path.of("x"));
        assertThat(Provenance.of(files).facts())
                .containsKey("data_sha256")
                .doesNotContainKeys("run_arguments", "shards");
    }

    @Test
    void gapsAndShardsThatStandTwiceAreNamed() {
        Path first = shard("a", 1, 4);
        Path third = shard("c", 3, 4);
        refused(65, first, third).hasMessageContaining("shards 2/4, 4/4 are missing: of 4 only 2 are given");
        refused(65, first, shard("again", 1, 4))
                .hasMessageContaining("shard 1/4 is a duplicate")
                .hasMessageContaining(first.toString());
        assertThat(out()).doesNotExist();
    }

    @Test
    void shardsOfOtherConfigurationsAreNamedWithWhatDiffers() {
        Path first = shard("a", 1, 2);
        refused(65, first, shard("b", 2, 3)).hasMessageContaining("number of shards");
        refused(65, first, shard("c", "2/2", Map.of("data_sha256", "other", "reasoner", "r"), "gate: true\n"))
                .hasMessageContaining("are of different configurations: data_sha256 = \"d\" in the first");
        refused(65, first, shard("d", "2/2", Map.of("data_sha256", "d", "reasoner", "r"), "gate: false\n"))
                .hasMessageContaining("config.resolved.yaml");
        refused(65, first, shard("e", "2/2", Map.of("data_sha256", "d", "reasoner", "r", "x", 1), "gate: true\n"))
                .hasMessageContaining("different configurations: x");
    }

    @Test
    void whatIsNoFinishedShardIsRefused() throws IOException {
        Path whole = shard("whole", null, Map.of("data_sha256", "d"), "gate: true\n");
        refused(65, whole).hasMessageContaining("without --shard; only shards of `prpf eval run` can be merged");
        Path none = Files.createDirectories(directory.resolve("none")).resolve("p.jsonl");
        Files.writeString(none, "{}");
        refused(65, none).hasMessageContaining("holds no run.json");
        Path stopped = directory.resolve("stopped").resolve("predictions.jsonl");
        RunDescription description = new RunDescription("eval run", List.of(), "gate: true\n", Map.of("shard", "1/1"));
        RunDirectory.open(directory.resolve("stopped"), Resume.NEVER, description)
                .close();
        refused(65, stopped).hasMessageContaining("shard 1/1 is not finished; run its command again");
    }

    @Test
    void linesThatWereLostAddedOrMovedAreNamed() throws IOException {
        Path first = shard("a", 1, 2);
        Path second = shard("b", 2, 2);
        List<String> lines = Files.readAllLines(second);
        Files.write(second, lines.subList(1, lines.size()));
        refused(65, first, second)
                .hasMessageContaining(
                        "holds " + (lines.size() - 1) + " predictions, its run ended with " + lines.size());
        List<String> moved = new ArrayList<>(lines);
        moved.set(0, Files.readAllLines(first).get(0));
        Files.write(second, moved);
        refused(65, first, second).hasMessageContaining("is in " + first + " and in " + second);
        refused(65, second, first).hasMessageContaining("does not belong to shard 2/2");
    }
}
