package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class FeedbackCommandTest {
    private static final String IMAGE = "ab".repeat(32) + ".png";
    private static final String ACCEPTED = record("feedback-1", "\"Opens the calendar\"", true);
    private static final String REJECTED = record("feedback-2", "\"Plays music\"", false);
    private static final String FEEDBACK = "/v1/users/ann/feedback";

    @TempDir
    Path folder;

    private HttpServer server;
    private final Map<String, String> bodies = new HashMap<>();

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String body = bodies.get(exchange.getRequestURI().getPath());
            byte[] sent = (body == null ? "{\"error\": {\"message\": \"no policy\"}}" : body)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(body == null ? 503 : 200, sent.length == 0 ? -1 : sent.length);
            exchange.getResponseBody().write(sent);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static String record(String id, String step, boolean accepted) {
        String answer =
                "{\"instruction\": \"Remind\", \"functions\": [{\"name\": \"set_reminder\", \"parameters\": {}}]}";
        return "{\"benchmark_metadata\": {\"id\": \"" + id + "\", \"difficulty_level\": 2}, \"reference_information\":"
                + " {\"profile\": \"\", \"phone\": \"\", \"world\": \"\", \"trace\": [" + step
                + "]}, \"recommendations\": [" + (accepted ? answer : "") + "]}";
    }

    private List<Sample> collected(String... options) {
        Path out = folder.resolve("out.json");
        List<String> words = Stream.concat(
                        Stream.of(
                                "--server=http://127.0.0.1:"
                                        + server.getAddress().getPort() + "/",
                                "--user=ann",
                                "--out=" + out),
                        Stream.of(options))
                .toList();
        FeedbackCommand command = new FeedbackCommand();
        new CommandLine(command).parseArgs(words.toArray(String[]::new));
        command.run();
        return SampleReader.readAll(out);
    }

    private AbstractThrowableAssert<?, ? extends Throwable> refused(ExitCode code, String... options) {
        return assertThatThrownBy(() -> collected(options))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code));
    }

    @Test
    void feedback_followsTheRecordsOfTheFile() throws IOException {
        bodies.put(FEEDBACK, ACCEPTED + "\n" + REJECTED + "\n");
        Path data = Files.writeString(
                folder.resolve("data.json"), "[" + record("r1", "\"Reads\"", true) + ", " + ACCEPTED + "]");
        List<Sample> samples = collected("--data=" + data);
        assertThat(samples)
                .as("feedback that was collected before is not added again")
                .extracting(Sample::id)
                .containsExactly("r1", "feedback-1", "feedback-2");
        assertThat(samples).extracting(Sample::wantsIntervention).containsExactly(true, true, false);
    }

    @Test
    void screenshots_areFetchedInto_images() {
        bodies.put(FEEDBACK, record("feedback-1", "{\"source\": \"picture\", \"picture\": \"" + IMAGE + "\"}", false));
        bodies.put("/v1/users/ann/images/" + IMAGE, "png");
        refused(ExitCode.USAGE).hasMessage("the feedback has screenshots; give --images DIR");
        collected("--images=" + folder.resolve("images"));
        assertThat(folder.resolve("images").resolve(IMAGE)).hasContent("png");
    }

    @Test
    void aNameOfAnImage_mustNotLeaveTheFolder() {
        bodies.put(FEEDBACK, record("feedback-1", "{\"source\": \"picture\", \"picture\": \"../a.png\"}", false));
        refused(ExitCode.BAD_DATA, "--images=" + folder).hasMessageContaining("names an image \"../a.png\", must be");
    }

    @Test
    void nothingNew_isRefused() {
        bodies.put(FEEDBACK, "");
        refused(ExitCode.BAD_DATA).hasMessageContaining("has no new feedback of ann; --user must be the name");
        bodies.put(FEEDBACK, "<html>\n");
        refused(ExitCode.BAD_DATA).hasMessageContaining("answers with a line that is not a record: <html>");
        assertThat(folder.resolve("out.json")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:8080", "http://127.0.0.1:8080?a=b", "ftp://127.0.0.1"})
    void anAddressThatIsNoServers_isRefused(String address) {
        FeedbackCommand command = new FeedbackCommand();
        new CommandLine(command).parseArgs("--server=" + address, "--user=ann", "--out=" + folder.resolve("out.json"));
        assertThatThrownBy(command::run)
                .hasMessage("--server " + address + ": must be an address such as http://127.0.0.1:8080");
    }

    @Test
    void aRefusalAndAMissingServer_areReported() throws IOException {
        refused(ExitCode.UNAVAILABLE).hasMessageContaining("/v1/users/ann/feedback answers 503: ", "no policy");
        refused(ExitCode.UNAVAILABLE, "--user=bob").hasMessageContaining("no policy");
        bodies.put(FEEDBACK, ACCEPTED + "\n");
        refused(ExitCode.UNAVAILABLE, "--user=a/../b?c")
                .hasMessageContaining("/v1/users/a%2F..%2Fb%3Fc/feedback answers");
        Files.writeString(folder.resolve("out.json"), "");
        refused(ExitCode.USAGE).hasMessageContaining("exists; name a new file");
        Files.delete(folder.resolve("out.json"));
        stop();
        refused(ExitCode.UNAVAILABLE).hasMessageContaining("does not answer: ", "start ./prpf serve");
    }
}
