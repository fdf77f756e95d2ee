package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class HubGetCommandTest {
    private static final String COMMIT = "a".repeat(40);
    /** The git id of "hello\n". */
    private static final String HELLO = "ce013625030ba8dba906f756967f9e9ca394464a";

    @TempDir
    private Path home;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private HttpServer hub;
    private String message = "";

    @BeforeEach
    void start() throws IOException {
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        hub = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer("/api/datasets/org/set/revision/main", "{\"sha\":\"" + COMMIT + "\"}");
        answer(
                "/api/datasets/org/set/tree/" + COMMIT,
                "[{\"type\":\"file\",\"path\":\"a.txt\",\"size\":6,\"oid\":\"" + HELLO + "\"},"
                        + "{\"type\":\"file\",\"path\":\"b.bin\",\"size\":9,\"oid\":\"" + HELLO + "\"}]");
        answer("/datasets/org/set/resolve/" + COMMIT + "/a.txt", "hello\n");
        hub.start();
    }

    private void answer(String path, String text) {
        hub.createContext(path, exchange -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    @AfterEach
    void stop() {
        ResultStream.redirect(System.out);
        hub.stop(0);
    }

    private int run(String... arguments) {
        String endpoint = "http://127.0.0.1:" + hub.getAddress().getPort();
        CommandLine line =
                new CommandLine(new HubGetCommand(Map.of("HF_ENDPOINT", endpoint, "HF_HOME", home.toString())));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            message = String.valueOf(exception.getMessage());
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        List<String> all = new ArrayList<>(List.of("org/set", "--repo-type", "dataset"));
        all.addAll(List.of(arguments));
        return line.execute(all.toArray(String[]::new));
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void printsTheFolderAndNothingElse() throws IOException {
        assertThat(run("--include", "*.txt")).isZero();
        Path folder = home.resolve("hub/datasets--org--set/snapshots/" + COMMIT);
        assertThat(output()).isEqualTo(folder + System.lineSeparator());
        assertThat(Files.readString(folder.resolve("a.txt"))).isEqualTo("hello\n");
    }

    @Test
    void jsonNamesEveryFile() throws IOException {
        assertThat(run("--exclude", "*.bin", "--out", home.resolve("set").toString(), "--json"))
                .isZero();
        JsonNode result = new ObjectMapper().readTree(output());
        assertThat(result.get("commit").textValue()).isEqualTo(COMMIT);
        assertThat(result.get("path").textValue()).isEqualTo(home.resolve("set").toString());
        assertThat(result.get("missing_bytes").longValue()).isEqualTo(6);
        assertThat(result.at("/files/0").toString()).isEqualTo("{\"path\":\"a.txt\",\"size\":6,\"cached\":false}");
        assertThat(result.has("dry_run")).isFalse();
    }

    @Test
    void aDryRunSaysWhatWouldComeAndFetchesNothing() {
        assertThat(run("--dry-run")).isZero();
        assertThat(output())
                .containsPattern("missing +6 {2}a.txt")
                .containsPattern("missing +9 {2}b.bin")
                .contains("15 of 15 bytes would be downloaded to " + home);
        assertThat(home).isEmptyDirectory();
    }

    @Test
    void aWrongNameIsWrongUsage() {
        assertThat(run("--revision", "../x")).isEqualTo(2);
        assertThat(message).contains("revision \"../x\"");
        assertThat(output()).isEmpty();
    }

    @Test
    void aMissingFileIsNotAvailable() {
        assertThat(run()).isEqualTo(69);
        assertThat(message).contains("status 404").doesNotContain("\n");
        assertThat(output()).isEmpty();
    }
}
