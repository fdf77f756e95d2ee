package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the Python client against the committed cascade, and the parts of {@code examples/feedback}. Skipped without python3 of 3.11 and httpx;
 * PythonClientTest and FeedbackExampleTest check the same files without them.
 */
@Tag("slow")
class PythonExamplesTest {
    private static final Path ROOT =
            Path.of(System.getProperty("prpf.root", "..")).toAbsolutePath().normalize();
    private static final Path CASCADE =
            Path.of("src/test/resources/dev/prpf/cli/recipe/cascade-0.1.0").toAbsolutePath();
    private static final Path RECORDS = ROOT.resolve("examples/own-data/records.json");

    @TempDir
    private static Path folder;

    private static Process server;
    private static String address;

    @BeforeAll
    static void serve() throws IOException, InterruptedException {
        assumeTrue(
                run("-c", "import sys, httpx; sys.exit(sys.version_info < (3, 11))")
                                .status()
                        == 0,
                "there is no python3 of 3.11 or newer with httpx: the client was not run");
        server = CommandProcess.in(folder).startReadable("serve", CASCADE.toString(), "--port=0", "--json");
        BufferedReader out = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        address = JsonContract.JSON.readTree(out.readLine()).get("listening").textValue();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.destroy();
        }
    }

    private record Ended(int status, String output) {}

    private static Ended run(String... arguments) throws InterruptedException {
        List<String> line = new ArrayList<>(List.of("python3"));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "PYTHONPATH", ROOT.resolve("integrations/python").toString(),
                        "PYTHONDONTWRITEBYTECODE", "1",
                        "PYTHONIOENCODING", "utf-8",
                        "no_proxy", "127.0.0.1"));
        try {
            Process process = builder.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), output);
        } catch (IOException e) {
            return new Ended(-1, String.valueOf(e.getMessage()));
        }
    }

    private static List<String> client(String code) throws InterruptedException {
        Ended ended = run(
                "-c",
                "import sys\nfrom prpf_client import Client, PrpfError\nmoment = dict(profile='', phone='', world='',"
                        + " trace=['Reads a message: tomorrow at 9:30'])\nwith Client(sys.argv[1]) as c:\n"
                        + code.indent(4),
                address);
        assertThat(ended.status()).as(ended.output()).isZero();
        return ended.output().lines().toList();
    }

    @Test
    void requestsAndSessions_areAnswered() throws InterruptedException {
        assertThat(
                        client(
                                """
                                print(c.ready()['status'], 'prpf_' in c.metrics())
                                print(c.perceive(**moment, threshold=0)['trigger'], c.perceive(**moment, threshold=1)['silence'])
                                print(c.recommend(**moment, passive=True)['route'])
                                session = c.open_session(profile='', phone='', world='')['id']
                                print(c.add_frame(session, text=moment['trace'][0])['steps'], c.ask(session)['route'])
                                print(c.close_session(session)['deleted'])
                                print(c.audit('nobody')['entries'])
                                """))
                .containsExactly("ready True", "True below-threshold", "reasoned", "1 reasoned", "True", "[]");
    }

    @Test
    void aStream_endsWithTheAnswer() throws InterruptedException {
        assertThat(
                        client(
                                """
                                events = list(c.recommend_stream(**moment, passive=True))
                                print(events[0].name, events[-1].name, {e.name for e in events[1:-1]})
                                written = ''.join(e.data['text'] for e in events[1:-1])
                                print(len(written) > 0, events[-1].data['route'])
                                """))
                .containsExactly("perception result {'delta'}", "True reasoned");
    }

    @Test
    void aStream_isSplitAtLineFeedsAlone() throws InterruptedException {
        assertThat(
                        client(
                                "from prpf_client.http import _lines\nprint([len(l) for l in _lines(iter(['a\\u2028', '\\u0085b\\nc']))])"))
                .containsExactly("[4, 1]");
    }

    @Test
    void aRefusal_isAnException() throws InterruptedException {
        assertThat(
                        client(
                                """
                                for call in (lambda: c.perceive(**moment, threshold=2), lambda: c.close_session('a/b'),
                                             lambda: next(c.recommend_stream(**moment, threshold=2))):
                                    try:
                                        call()
                                    except PrpfError as e:
                                        print(e.status, e.param, e)
                                """))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("400 threshold 400: threshold"),
                        second -> assertThat(second).startsWith("404 "),
                        third -> assertThat(third).startsWith("400 threshold 400: threshold"));
    }

    @Test
    void feedbackOfThePhone_becomesRecords() throws Exception {
        Ended phone = run(ROOT.resolve("examples/feedback/phone.py").toString(), address);
        assertThat(phone.status()).as(phone.output()).isZero();
        assertThat(phone.output()).containsPattern("accepted: .* -> feedback-").containsPattern("rejected: .* -> feed");
        Path out = folder.resolve("records.json");
        CommandProcess.Result collected = CommandWorker.run(
                "data", "feedback", "--server=" + address, "--user=ann", "--data=" + RECORDS, "--out=" + out);
        assertThat(collected.exitCode()).as(collected.stderr()).isZero();
        assertThat(collected.stdout()).contains("wrote 22 records", "1 accepted, 1 rejected");
        List<Sample> samples = SampleReader.readAll(out);
        assertThat(samples.subList(20, 22))
                .extracting(Sample::wantsIntervention)
                .containsExactly(true, false);
        assertThat(Files.readString(out)).contains("Reads the dentist's message", "The bus app shows a delay");
    }
}
