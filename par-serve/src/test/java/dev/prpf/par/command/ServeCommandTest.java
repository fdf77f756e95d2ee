package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.cascade.CascadeFolder;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.openai.RecordedServer;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.ServedParts;
import dev.prpf.par.serve.cascade.CascadeSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ServeCommandTest {
    private static final String POOL =
            "{\"ring\":{\"name\":\"ring\",\"description\":\"\",\"similar\":[],\"parameters\":{}}}";
    private static final String GOLD = "[{\"benchmark_metadata\":{\"id\":\"a\",\"difficulty_level\":1},"
            + "\"reference_information\":{\"profile\":\"p\",\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"t\"]},"
            + "\"recommendations\":[]}]";

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private PrintStream before = System.out;
    private Exception failure = new IllegalStateException("nothing failed");
    private Path gold = Path.of("");

    @BeforeEach
    void write() throws IOException {
        before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        gold = Files.writeString(folder.resolve("gold.json"), GOLD);
        Files.writeString(folder.resolve("pool.json"), POOL);
    }

    @AfterEach
    void restore() {
        ResultStream.redirect(before);
    }

    private static final class Served extends ServeCommand {
        @Override
        protected @Nullable Path named() {
            return null;
        }

        @Override
        protected Path newest() {
            throw new UsageException("nothing to serve");
        }

        @Override
        protected @Nullable Path gold(Path cascade) {
            return null;
        }

        @Override
        protected @Nullable Path examples(Path cascade) {
            return null;
        }
    }

    private int serve(String... more) {
        CommandLine line = new CommandLine(new Served()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            failure = exception;
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(Stream.concat(
                        Stream.of("--gold=" + gold, "--pool=" + folder.resolve("pool.json"), "--dry-run"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    @Test
    void aDryRunSaysWhatItWouldServeAndLeavesTheKeysAsTheyAre() throws IOException {
        Path keys = Files.writeString(folder.resolve("keys"), "phone a-key-of-more-than-16\n");
        assertThat(serve("--api-key-file=" + keys, "--json"))
                .as(failure.getMessage())
                .isZero();
        assertThat(keys).hasContent("phone a-key-of-more-than-16");
        assertThat(new ObjectMapper().readTree(out.toByteArray()))
                .isEqualTo(
                        new ObjectMapper()
                                .readTree(
                                        "{\"dry_run\": true, \"perceiver\": null, \"reasoner\": null, \"gold\": \""
                                                + gold
                                                + "\", \"policy\": null, \"embeddings\": \"bge-small-zh-v1.5\", \"host\": \"127.0.0.1\", \"port\": 8080, \"keys\": true}"));
        out.reset();
        assertThat(serve()).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo("would serve perceiver none, reasoner none, rewards against " + gold
                        + ", policy none, embeddings of bge-small-zh-v1.5 on 127.0.0.1:8080 without keys\n");
    }

    private Path remote(String url, String model) throws IOException {
        String shipped = Files.readString(Path.of("../configs/remote.yaml"));
        return Files.writeString(
                folder.resolve("remote.yaml"),
                shipped.replaceFirst("http://127.0.0.1:8000/v1", url).replaceFirst("Qwen/Qwen3.5-9B", model));
    }

    @Test
    void aReasonerOnAServerIsCheckedBeforeAnythingIsLoaded() throws IOException {
        try (RecordedServer server = new RecordedServer()) {
            Path file = remote(server.baseUrl(), "llama");
            assertThat(serve("--remote=" + file)).isEqualTo(ExitCode.BAD_CONFIG.status());
            assertThat(failure)
                    .hasMessageContaining(
                            "does not have the model \"llama\", it has [qwen, smol]; each of server.urls");
            assertThat(serve("--remote=" + file, "--set=reasoner.model=smol", "--set=cascade.shortlist=2"))
                    .as(failure.getMessage())
                    .isZero();
            assertThat(out.toString(StandardCharsets.UTF_8)).contains("reasoner smol at " + server.baseUrl() + ",");
            assertThat(serve("--remote=" + file, "--reasoner=" + folder)).isEqualTo(2);
            assertThat(failure)
                    .hasMessage("--reasoner " + folder + " and --remote " + file
                            + ": the reasoner is in this process or on a server; leave one out");
        }
        assertThat(serve("--remote=" + remote("http://127.0.0.1:9/v1", "llama")))
                .as("a server that is down may start later")
                .isZero();
        assertThat(serve("--set=reasoner.model=smol")).isEqualTo(ExitCode.BAD_CONFIG.status());
    }

    @Test
    void theFirstLinesNameWhatIsLoadedAndARequestToTry() throws IOException {
        RemoteReasoner.Config config =
                StrictYaml.read(remote("http://127.0.0.1:9/v1", "llama"), RemoteReasoner.Config.class, List.of());
        Path acting = Files.writeString(
                folder.resolve("acting.json"),
                GOLD.replace("[\"t\"]", "[\"it's 8\"]")
                        .replace(
                                "\"recommendations\":[]",
                                "\"recommendations\":[{\"instruction\":\"i\",\"functions\":[{\"name\":\"ring\",\"parameters\":{}}]}]"));
        List<Sample> examples = SampleReader.readAll(acting);
        ServedParts.Places places = new ServedParts.Places(
                null,
                null,
                config,
                null,
                Prompts.POOL,
                Prompts.CATALOG,
                null,
                Precision.FP32,
                null,
                List.of(),
                examples);
        String silent =
                "      (the answer is silence: no record that was tried passes the gate; docs/THRESHOLD.md chooses another threshold)";
        assertThat(new ServeReport(places, ServeConfig.DEFAULT, acting, true, null).lines("http://a"))
                .contains(silent);
        assertThat(new ServeReport(places, ServeConfig.DEFAULT, acting, true, examples.get(0)).lines("http://a"))
                .containsExactly(
                        "listening on http://a",
                        "gate: none",
                        "reasoner: llama at http://127.0.0.1:9/v1, structured-output none",
                        "functions: 3, scenarios: " + Prompts.CATALOG.size(),
                        "policy: none",
                        "gold of the reward service: " + acting,
                        "Next: curl -s http://a/v1/recommend -H 'Content-Type: application/json' -H 'Authorization: Bearer KEY'"
                                + " -d '{\"profile\":\"p\",\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"it'\\''s 8\"],\"passive\":true}'",
                        "      open http://a/ in a browser: a page to try it");
        ServedParts.Places nothing = new ServedParts.Places(
                null,
                null,
                null,
                null,
                Prompts.POOL,
                Prompts.CATALOG,
                null,
                Precision.FP32,
                null,
                List.of(),
                List.of());
        assertThat(new ServeReport(nothing, ServeConfig.DEFAULT, null, false, null).lines("http://a"))
                .contains("reasoner: none")
                .noneMatch(line -> line.startsWith("Next:"));
    }

    @Test
    void overridesReplaceTheCascadesSettings() {
        CascadeFolder.Answering answering = new CascadeFolder.Answering(3, 96, true);
        ConfigOptions common = new ConfigOptions();
        common.overrides = List.of("cascade.max-new-tokens=64");
        CascadeSettings usual = ServeCommand.config(common, answering).cascade();
        common.config = Path.of("../configs/serve.yaml");
        CascadeSettings ofFile = ServeCommand.config(common, answering).cascade();
        assertThat(List.of(usual, ofFile)).allSatisfy(settings -> {
            assertThat(settings.maxNewTokens()).isEqualTo(64);
            assertThat(settings.shortlist()).isEqualTo(3);
        });
        assertThat(ServeCommand.config(common, null).cascade().shortlist()).isEqualTo(5);
    }

    @Test
    void namesAreGivenOnceAndAreNotBlank() {
        assertThat(serve("--served-model-name=a", "--served-model-name=a")).isEqualTo(2);
        assertThat(failure).hasMessage("--served-model-name \"a\" is given twice; give each name once");
        assertThat(serve("--served-model-name= ")).isEqualTo(2);
        assertThat(failure).hasMessage("--served-model-name \" \" is blank; give a name");
    }
}
