package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.par.cascade.CascadeFolder;
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
