package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code configs/launch/with-reward.sh}, which runs the reward service with a trainer; stubs replace both. */
class RewardSidecarTest {
    private static final Path LAUNCH = JsonContract.CONFIGS.resolve("launch").toAbsolutePath();

    @TempDir
    private Path folder;

    /** Answers {@code /ready} as the service would: only at the third time. */
    private HttpServer service;

    private final AtomicInteger asked = new AtomicInteger();

    @BeforeEach
    void start() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/ready", exchange -> {
            exchange.sendResponseHeaders(asked.incrementAndGet() < 3 ? 503 : 200, -1);
            exchange.close();
        });
        service.start();
        Path export = Files.createDirectory(folder.resolve("export"));
        for (String name : List.of("gold.json", "function_pool.json", "reward.yaml")) {
            Files.writeString(export.resolve(name), "");
        }
        Files.writeString(
                export.resolve("export.json"),
                """
                {
                  "to" : "verl",
                  "stage" : "grpo",
                  "reasoning" : "rec-function",
                  "prompt" : {
                    "layout" : "paper",
                    "reasoning" : "rec-function",
                    "max-screenshots" : null
                  },
                  "files" : [ "train.jsonl", "gold.json" ]
                }
                """);
    }

    @AfterEach
    void stop() {
        service.stop(0);
    }

    private Path script(String name, String body) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/usr/bin/env bash\n" + body);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Writes a stub for {@code ./prpf}, which prints its arguments and runs until it is stopped. */
    private Path prpf() throws IOException {
        return script(
                "prpf",
                "echo \"$@\" > '" + folder + "/service'\n"
                        + "trap 'echo ended > \"" + folder + "/ended\"; exit 0' TERM\n"
                        + "echo '{\"listening\": \"http://…\"}'\n"
                        + "while :; do sleep 0.05; done\n");
    }

    private Process launch(Path prpf, int port, Path export, String... command) throws IOException {
        return builder(prpf, port, export, command).start();
    }

    private static ProcessBuilder builder(Path prpf, int port, Path export, String... command) {
        List<String> all =
                new ArrayList<>(List.of("bash", LAUNCH.resolve("with-reward.sh").toString(), export.toString()));
        all.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true);
        builder.environment().put("PRPF", prpf.toString());
        builder.environment().put("PRPF_REWARD_PORT", Integer.toString(port));
        builder.environment().put("PRPF_SERVE_OPTIONS", "--host 0.0.0.0");
        return builder;
    }

    private static String said(Process process, int status) throws IOException, InterruptedException {
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(text).isEqualTo(status);
        return text;
    }

    private int port() {
        return service.getAddress().getPort();
    }

    @Test
    void sidecar_servesTrainerThatDecidesTheStatus() throws Exception {
        Path export = folder.resolve("export");
        Process process =
                launch(prpf(), port(), export, "bash", "-c", "echo at $PRPF_REWARD_URL $no_proxy $NO_PROXY; exit 7");
        assertThat(said(process, 7))
                .matches("(?s)at http://127\\.0\\.0\\.1:" + port()
                        + " (\\S*127\\.0\\.0\\.1,localhost) \\S*127\\.0\\.0\\.1,localhost\n.*");
        assertThat(asked).as("until it was ready").hasValue(3);
        assertThat(folder.resolve("service"))
                .hasContent("serve --gold " + export + "/gold.json --pool " + export
                        + "/function_pool.json --reward " + export + "/reward.yaml --reasoning rec-function --port "
                        + port() + " --json --host 0.0.0.0");
        assertThat(folder.resolve("ended")).as("the service").exists();
    }

    @Test
    void aWildcardThatExcludesAllHostsFromTheProxyStays() throws Exception {
        ProcessBuilder builder = builder(
                prpf(),
                port(),
                folder.resolve("export"),
                "bash",
                "-c",
                "printf 'at %s %s\\n' \"$no_proxy\" \"$NO_PROXY\"");
        builder.environment().put("no_proxy", "*");
        builder.environment().put("NO_PROXY", "a.cn");
        assertThat(said(builder.start(), 0)).contains("at * a.cn,127.0.0.1,localhost\n");
    }

    @Test
    void aSignalGoesToTheTrainerAndTheServiceEndsBehindIt() throws Exception {
        Process process = launch(
                prpf(),
                port(),
                folder.resolve("export"),
                "bash",
                "-c",
                "trap 'exit 7' TERM; touch '" + folder + "/trains'; while :; do sleep 0.05; done");
        while (process.isAlive() && !Files.exists(folder.resolve("trains"))) {
            Thread.sleep(5);
        }
        // unlike Process.destroy it keeps the output readable
        assertThat(process.toHandle().destroy()).isTrue();
        said(process, 7); // 75 would mean that the trainer still runs
        assertThat(folder.resolve("ended")).exists();
    }

    /** The script sends itself a signal right after the trainer's start, before it knows the trainer's process id. */
    @Test
    void aSignalThatComesWhileTheTrainerStartsReachesItToo() throws Exception {
        Path early = Files.writeString(
                folder.resolve("early"), "trap '[ \"$BASH_COMMAND\" != \"trainer=\\$!\" ] || kill -TERM $$' DEBUG\n");
        ProcessBuilder builder = builder(prpf(), port(), folder.resolve("export"), "sleep", "60");
        builder.environment().put("BASH_ENV", early.toString());
        said(builder.start(), 143);
        assertThat(folder.resolve("ended")).exists();
    }

    @Test
    void aServiceThatDoesNotStartEndsItWithTheServicesStatus() throws Exception {
        service.stop(0);
        Path refuses = script("refuses", "echo no such gold >&2; exit 65\n");
        String text = said(launch(refuses, port(), folder.resolve("export"), "touch", folder + "/trains"), 65);
        assertThat(text).contains("no such gold", "error: the reward service did not start");
        assertThat(folder.resolve("trains")).doesNotExist();
    }

    /** Such as one that an earlier training left there: it would reward by another export. */
    @Test
    void anotherServiceOnThePortIsNotTakenForOurs() throws Exception {
        Path refuses = script("refuses", "echo the port is taken >&2; exit 69\n");
        String text = said(launch(refuses, port(), folder.resolve("export"), "touch", folder + "/trains"), 69);
        assertThat(text).contains("the port is taken");
        assertThat(folder.resolve("trains")).doesNotExist();
    }

    @Test
    void aFolderThatIsNoGrpoExportIsRefused() throws Exception {
        Files.delete(folder.resolve("export/gold.json"));
        assertThat(said(launch(prpf(), port(), folder.resolve("export"), "true"), 65))
                .contains("has no gold.json; name the folder of `prpf data export --gold …`");
        assertThat(said(launch(prpf(), port(), folder.resolve("export")), 2)).contains("usage: with-reward.sh");
    }
}
