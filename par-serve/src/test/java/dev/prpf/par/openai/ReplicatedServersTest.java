package dev.prpf.par.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.http.Retrier;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One client and several servers of its model. */
class ReplicatedServersTest {
    private static final int RETRIES = 3;

    @TempDir
    private Path folder;

    private final List<Duration> waits = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong now = new AtomicLong();
    private RecordedServer a;
    private RecordedServer b;

    @BeforeEach
    void start() throws IOException {
        a = new RecordedServer();
        b = new RecordedServer();
    }

    @AfterEach
    void stop() {
        a.close();
        b.close();
    }

    private ChatClient client(int concurrency, RecordedServer... servers) {
        List<String> urls = Arrays.stream(servers).map(RecordedServer::baseUrl).toList();
        Retrier.Policy policy = new Retrier.Policy(RETRIES, Duration.ofSeconds(10), Duration.ofMinutes(1));
        return new ChatClient(
                new ServerSettings(urls, null, concurrency, 20, 20, RETRIES, 60, null),
                "qwen",
                Map.of(),
                () -> false,
                new ChatClient.Pace(policy, new Retrier(policy, waits::add), now::get));
    }

    private static List<ChatRequest> requests(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new ChatRequest(
                        "n" + i,
                        List.of(new ChatRequest.Turn("user", "n" + i)),
                        new SamplingSettings(0, 1, 64, 5L, new ObjectMapper().createObjectNode()),
                        null))
                .toList();
    }

    /** The texts in the requests' order, which echo them. */
    private static List<String> texts(ChatClient client, int count) {
        Map<Integer, String> texts = new TreeMap<>();
        client.ask(
                requests(count), (index, outcome) -> assertThat(texts.put(index, ((ChatOutcome.Answer) outcome).text()))
                        .isNull());
        return List.copyOf(texts.values());
    }

    private static List<String> echoes(int count) {
        return IntStream.range(0, count).mapToObj(i -> "n" + i).toList();
    }

    /** An echo that does not come before something holds. */
    private static UnaryOperator<String> once(BooleanSupplier holds) {
        return text -> {
            try {
                while (!holds.getAsBoolean()) {
                    Thread.sleep(1);
                }
                return text;
            } catch (InterruptedException e) {
                throw new IllegalStateException("the server was closed", e);
            }
        };
    }

    private static void assertFails(ChatClient client, ExitCode code, String... words) {
        assertThatThrownBy(() -> texts(client, 4))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContainingAll(words);
    }

    @Test
    void dyingReplicaLosesNoRequestsAndCausesNoWaits() {
        Map<Integer, String> outcomes = new TreeMap<>();
        try (ChatClient client = client(4, a, b)) {
            texts(client, 1); // after which both are up
            a.talking(once(() -> !b.bodies().isEmpty()));
            b.talking(once(() -> false)); // has requests under way until it dies
            client.ask(requests(40), (index, outcome) -> {
                assertThat(outcomes.put(index, ((ChatOutcome.Answer) outcome).text()))
                        .as("reported twice")
                        .isNull();
                if (outcomes.size() == 10) {
                    b.close();
                }
            });
        }
        assertThat(outcomes.values()).containsExactlyElementsOf(echoes(40));
        assertThat(waits).as("another took them at once").isEmpty();
        assertThat(b.bodies()).as("the least loaded").hasSizeBetween(1, 2);
        assertThat(a.bodies()).as("what was lost was sent again").hasSize(1 + 40);
    }

    @Test
    void aSlowReplicaGetsNoMoreThanItHasUnderWay() {
        a.talking(once(() -> !b.bodies().isEmpty()));
        b.talking(once(() -> a.bodies().size() == 9));
        try (ChatClient client = client(2, a, b)) {
            assertThat(texts(client, 10)).isEqualTo(echoes(10));
        }
        assertThat(b.bodies()).hasSize(1);
        assertThat(a.bodies()).hasSize(9);
    }

    @Test
    void oneThatIsBusyIsLeftAloneForAsLongAsItAsks() {
        a.record(
                RecordedServer.json(429, "{\"error\":{\"message\":\"slow down\"}}", "Retry-After", "9"),
                RecordedServer.json(503, "{\"error\":{\"message\":\"loading\"}}", "Retry-After", "3600"));
        try (ChatClient client = client(1, a, b)) {
            assertThat(texts(client, 3)).isEqualTo(echoes(3));
            assertThat(a.bodies()).hasSize(1);
            assertThat(b.bodies()).hasSize(3);
            now.addAndGet(Duration.ofSeconds(9).toNanos());
            assertThat(texts(client, 1))
                    .as("503 of the first is answered by the second")
                    .isEqualTo(echoes(1));
            assertThat(a.bodies()).hasSize(2);
            now.addAndGet(Duration.ofSeconds(3599).toNanos());
            texts(client, 1);
            assertThat(a.bodies()).hasSize(2);
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            texts(client, 1);
            assertThat(a.bodies()).as("it is back").hasSize(3);
        }
        assertThat(waits).isEmpty();
    }

    @Test
    void shortestWaitCountsIfAllAreBusy() {
        a.record(RecordedServer.json(429, "{}", "Retry-After", "3600"));
        b.record(RecordedServer.json(429, "{}", "Retry-After", "7"));
        try (ChatClient client = client(1, a, b)) {
            assertThat(texts(client, 1)).isEqualTo(echoes(1));
        }
        assertThat(waits).containsExactly(Duration.ofSeconds(7));
        assertThat(b.bodies()).hasSize(2);
    }

    @Test
    void allDeadIs69AndWithOthersTheRunGoesOnWhereItWas() throws IOException {
        Path file = folder.resolve("answers.jsonl");
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger asked = new AtomicInteger();
        UnaryOperator<String> twelve =
                text -> asked.incrementAndGet() <= 12 ? text : once(() -> false).apply(text);
        a.talking(twelve);
        b.talking(twelve);
        try (ChatClient client = client(2, a, b);
                AnswerJournal journal = new AnswerJournal(file)) {
            assertThatThrownBy(() -> journal.ask(client, requests(30), () -> {
                        if (answered.incrementAndGet() == 12) {
                            a.close();
                            b.close();
                        }
                    }))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                    .hasMessageContainingAll(
                            "none of the servers [" + a.baseUrl() + ", " + b.baseUrl() + "] answers sample n",
                            "after 4 attempts",
                            "run the same command again");
        }
        int kept = Files.readAllLines(file).size();
        assertThat(kept).isEqualTo(12);
        try (RecordedServer other = new RecordedServer();
                ChatClient client = client(2, other);
                AnswerJournal journal = new AnswerJournal(file)) {
            assertThat(journal.ask(client, requests(30), () -> {})).hasSize(30);
            assertThat(other.bodies())
                    .as("what was answered is not asked again")
                    .hasSize(30 - kept);
        }
    }

    @Test
    void journalDoesNotDependOnTheReplica() throws IOException {
        Path one = folder.resolve("one.jsonl");
        Path several = folder.resolve("several.jsonl");
        try (RecordedServer c = new RecordedServer();
                ChatClient alone = client(1, a);
                ChatClient replicated = client(6, a, b, c);
                AnswerJournal first = new AnswerJournal(one);
                AnswerJournal second = new AnswerJournal(several)) {
            a.talking(once(() -> b.bodies().size() + c.bodies().size() > 0));
            List<ChatOutcome> outcomes = second.ask(replicated, requests(24), () -> {});
            assertThat(first.ask(alone, requests(24), () -> {})).isEqualTo(outcomes);
            assertThat(second.usage(null)).isEqualTo(first.usage(null));
        }
        assertThat(Files.readAllLines(several)).containsExactlyInAnyOrderElementsOf(Files.readAllLines(one));
    }

    @Test
    void replicaWithAnotherModelIsRejectedBeforeRequests() {
        b.having("smol");
        try (ChatClient client = client(1, a, b)) {
            assertFails(
                    client,
                    ExitCode.BAD_CONFIG,
                    b.baseUrl() + " does not have the model \"qwen\", it has [smol]",
                    "each of server.urls must have it under that name");
        }
        assertThat(a.bodies()).isEmpty();
        assertThat(b.bodies()).isEmpty();
    }

    @Test
    void replicaWithoutAListOfModelsIsAccepted() {
        a.withoutModels();
        b.withoutModels();
        try (ChatClient client = client(2, a, b)) {
            assertThat(texts(client, 6)).isEqualTo(echoes(6));
        }
    }

    @Test
    void loadingReplicaJoinsWhenReady() {
        b.loading(true);
        try (ChatClient client = client(1, b, a)) {
            assertThat(texts(client, 3)).isEqualTo(echoes(3));
            assertThat(b.bodies()).isEmpty();
            b.loading(false);
            now.addAndGet(Duration.ofSeconds(10).toNanos());
            assertThat(texts(client, 1)).isEqualTo(echoes(1));
        }
        assertThat(b.bodies()).hasSize(1);
    }

    @Test
    void rejectedKeyOfOneReplicaIsFinal() {
        b.record(RecordedServer.json(401, "{\"error\":{\"message\":\"no key\"}}"));
        a.record(RecordedServer.json(500, ""));
        try (ChatClient client = client(1, a, b)) {
            assertFails(
                    client,
                    ExitCode.UNAVAILABLE,
                    b.baseUrl() + " answered sample n0 with status 401",
                    "requires a key");
        }
    }

    @Test
    void bothKindsOfRequestsAreBalanced() {
        UnaryOperator<String> held = once(() -> !b.bodies().isEmpty());
        a.continuing(body -> nine(held.apply("")));
        b.continuing(body -> nine(""));
        ServerSettings settings =
                new ServerSettings(List.of(a.baseUrl(), b.baseUrl()), null, 2, 20, 20, RETRIES, 60, null);
        try (ChatClient client = new ChatClient(settings, "qwen", Map.of(), () -> false)) {
            CompletionRequest.Sampling sampling = new CompletionRequest.Sampling(1, 0, 1, 8);
            List<CompletionRequest> requests = IntStream.range(0, 4)
                    .mapToObj(i -> new CompletionRequest("s" + i, new long[] {i}, 1, i, sampling))
                    .toList();
            assertThat(client.complete(requests)).hasSize(4).allSatisfy(said -> assertThat(said)
                    .singleElement()
                    .satisfies(one -> assertThat(one.ids()).containsExactly(9)));
        }
        assertThat(a.bodies().size() + b.bodies().size()).isEqualTo(4);
        assertThat(b.bodies()).isNotEmpty();
    }

    private static RecordedServer.Reply nine(String text) {
        return RecordedServer.json(
                200,
                "{\"choices\":[{\"text\":\"" + text + "\",\"finish_reason\":\"length\",\"token_ids\":[9],"
                        + "\"logprobs\":{\"token_logprobs\":[-0.5]}}]}");
    }
}
