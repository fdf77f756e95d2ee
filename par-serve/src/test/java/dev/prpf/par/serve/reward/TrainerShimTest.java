package dev.prpf.par.serve.reward;

import static dev.prpf.par.serve.reward.RewardFixture.ACTING;
import static dev.prpf.par.serve.reward.RewardFixture.quoted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The trainers' side, integrations/*.py, against a running service. Skipped where there is no python3. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TrainerShimTest {
    private static final Path INTEGRATIONS =
            Path.of(System.getProperty("prpf.root", "..")).toAbsolutePath().resolve("integrations");
    private static final String TRUTH = "truth = lambda id: json.dumps({'id': id, 'recommendations': []})\n";

    private final RewardFixture server = new RewardFixture();

    @TempDir
    private Path folder;

    @BeforeAll
    void needsPython() {
        boolean there;
        try {
            there = new ProcessBuilder("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 10))")
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException | InterruptedException e) {
            there = false;
        }
        assumeTrue(there, "there is no python3 of 3.10 or newer");
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private String python(String address, Path modules, String code) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("python3", "-c", "import json\n" + TRUTH + code);
        builder.environment()
                .putAll(Map.of(
                        "PRPF_REWARD_URL", address,
                        "PYTHONPATH", modules.toString(),
                        "PYTHONDONTWRITEBYTECODE", "1",
                        "no_proxy", "127.0.0.1",
                        "PYTHONIOENCODING", "utf-8"));
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return said.strip();
    }

    private String python(String code) throws IOException, InterruptedException {
        return python(server.address(), INTEGRATIONS, "from prpf_reward import *\n" + code);
    }

    @Test
    void trlGetsTheTotalsOfABatchAndLogsTheTerms() throws Exception {
        String said = python("logged = {}\n" + "print(structured_reward(['p', 'p', 'p'], "
                + quoted(List.of(List.of(Map.of("role", "assistant", "content", ACTING)), "无推荐", "oops"))
                + ", ground_truth=[truth('acts'), truth('silent'), truth('acts')], about=['', '', ''], trainer_state=None,"
                + " log_metric=logged.__setitem__))\n"
                + "print(logged['terms/trig'], logged['terms/malformed'], len(logged))");
        assertThat(said.lines()).containsExactly("[8.2, 8.5, 0.0]", "1.3333333333333333 0.3333333333333333 9");
        assertThat(python("print(structured_reward([], [], ground_truth=[], log_metric=print))"))
                .isEqualTo("[]");
    }

    /** Runs {@code trl_step.py} with stubs of TRL 1.16 and its libraries; the stub of the trainer calls the reward as TRL does. */
    @Test
    void theExampleOfATrainer_getsRewards() throws Exception {
        for (String module : List.of("torch", "datasets", "transformers", "trl")) {
            Files.copy(
                    Path.of("src/test/python/trl-stubs", module + ".py").toAbsolutePath(),
                    folder.resolve(module + ".py"));
        }
        Path export = Files.createDirectory(folder.resolve("export"));
        Files.writeString(export.resolve("chat_template.jinja"), "{{ messages }}");
        Files.writeString(
                export.resolve("train.jsonl"),
                "{\"prompt\": \"p\", \"id\": \"silent\", \"ground_truth\": \"{\\\"id\\\": \\\"silent\\\"}\"}\n");
        String said = python(
                server.address(),
                Path.of(INTEGRATIONS + File.pathSeparator + folder),
                "import sys, runpy\nsys.argv = ['trl_step.py', '" + export + "', 'model']\n" + "runpy.run_path('"
                        + INTEGRATIONS.resolve("trl_step.py") + "', run_name='__main__')");
        assertThat(said)
                .contains("\"reward\": 4.25", "\"terms/tn\": 3.0", "\"terms/malformed\": 0.5")
                .endsWith("the weights moved by 1.00e-04 at most");
    }

    @Test
    void moreThanOneRequestHoldsAreAskedInParts() throws Exception {
        assertThat(
                        python(
                                "n = 600\nrewards = structured_reward(None, ['无推荐', 'oops'] * n,"
                                        + " ground_truth=[truth('silent')] * 2 * n)\nprint(len(rewards), set(rewards[::2]), set(rewards[1::2]))"))
                .isEqualTo("1200 {8.5} {0.0}");
    }

    @Test
    void verlShim_score_hasTheTerms() throws Exception {
        String call = "compute_score(data_source='prpf', solution_str='无推荐', ground_truth=truth('silent'),"
                + " extra_info={'split': 'train'}, reward_router_address=None)";
        assertThat(RewardFixture.json(python("print(json.dumps(" + call + "))")))
                .hasToString(
                        "{\"score\":8.5,\"terms/trig\":2.0,\"terms/func\":0.0,\"terms/args\":0.0,\"terms/schema\":0.5,"
                                + "\"terms/tn\":6.0,\"terms/fp\":0.0,\"terms/cov\":0.0,\"terms/over\":0.0,\"malformed\":0.0}");
        assertThat(python(call.replace("'prpf'", "'gsm8k'"))).contains("ValueError: data_source = 'gsm8k'");
    }

    @Test
    void aServiceOnThisMachineIsAskedWithoutTheProxyOfTheEnvironment() throws Exception {
        String proxied = "import os\nos.environ.pop('no_proxy')\nos.environ['http_proxy'] = 'http://127.0.0.1:9'\n";
        assertThat(python(proxied + "print(structured_reward(None, ['无推荐'], ground_truth=[truth('silent')]))"))
                .isEqualTo("[8.5]");
        assertThat(python(proxied + "os.environ['PRPF_REWARD_URL'] = 'http://rewards.invalid'\nimport prpf_reward\n"
                        + "prpf_reward.time.sleep = lambda seconds: None\n"
                        + "structured_reward(None, ['x'], ground_truth=[truth('silent')])"))
                .contains("cannot be asked through the proxy http://127.0.0.1:9 (no_proxy excludes hosts)");
    }

    @Test
    void msSwiftGetsTheTotals() throws Exception {
        Files.createDirectories(folder.resolve("swift"));
        Files.writeString(folder.resolve("swift/__init__.py"), "");
        Files.writeString(
                folder.resolve("swift/rewards.py"),
                "class ORM:\n    def __init__(self, args=None, **kwargs):"
                        + "\n        self.args = args\n\norms = {}\n");
        String path = INTEGRATIONS + File.pathSeparator + folder;
        assertThat(
                        python(
                                server.address(),
                                Path.of(path),
                                "import prpf_swift\nfrom swift.rewards import orms\n"
                                        + "print(orms['prpf'](args=None)(['无推荐', 'oops'], ground_truth=[truth('silent')] * 2, messages=[]))"))
                .isEqualTo("[8.5, 0.0]");
    }

    @Test
    void whatTheServiceRefusesEndsTheTrainer() throws Exception {
        assertThat(python("structured_reward(None, ['x'], ground_truth=[truth('nobody')])"))
                .contains("RuntimeError: " + server.address() + "/v1/reward answered 400:")
                .contains("items[0].id is \\\"nobody\\\", which no sample");
        assertThat(python("structured_reward(None, ['x', 'y'], ground_truth=[truth('acts')])"))
                .contains("ValueError: zip()");
        assertThat(python("structured_reward(None, [[{'role': 'user', 'content': ''}]], ground_truth=[truth('acts')])"))
                .contains("a completion must be one assistant message");
    }

    @Test
    void aServiceThatIsBusyOrAwayIsAskedAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        HttpServer busy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        busy.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            boolean now = asked.incrementAndGet() % 3 == 0;
            byte[] body =
                    "{\"items\":[{\"total\":1.5,\"terms\":{},\"quadrant\":\"TP\"}]}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(now ? 200 : 503, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        busy.start();
        String address = "http://127.0.0.1:" + busy.getAddress().getPort();
        String code = "import prpf_reward\nwaited = []\nprpf_reward.time.sleep = waited.append\n";
        String ask = "print(prpf_reward.structured_reward(None, ['x'], ground_truth=[truth('acts')]), waited)";
        try {
            assertThat(python(address, INTEGRATIONS, code + ask)).isEqualTo("[1.5] [1, 2]");
        } finally {
            busy.stop(0);
        }
        assertThat(python(
                        address,
                        INTEGRATIONS,
                        code + "try:\n    " + ask + "\nexcept RuntimeError as e:\n    print(waited, e)"))
                .startsWith("[1, 2, 4, 8] " + address + "/v1/reward cannot be asked: ")
                .endsWith("start `prpf serve`, or set PRPF_REWARD_URL");
    }

    @Test
    void aServiceThatRewardsByOtherConstantsThanTheExportIsRefused() throws Exception {
        Files.copy(INTEGRATIONS.resolve("prpf_reward.py"), folder.resolve("prpf_reward.py"));
        String ask =
                "import prpf_reward\nprint(prpf_reward.structured_reward(None, ['x'], ground_truth=[truth('acts')]))";
        String config = RewardFixture.scorer().configuration();
        Files.writeString(folder.resolve("export.json"), "{\"reward\": \"" + config + "\"}");
        assertThat(python(server.address(), folder, ask)).isEqualTo("[0.0]");
        Files.writeString(folder.resolve("export.json"), "{\"reward\": \"0123\"}");
        assertThat(python(server.address(), folder, ask))
                .contains("RuntimeError: " + server.address() + "/v1/reward rewards by " + config
                        + ", this export by 0123:" + " start it with this folder's gold.json");
    }
}
