package dev.prpf.par.serve.cascade;

import static dev.prpf.par.serve.cascade.CascadeWorld.json;
import static dev.prpf.par.serve.cascade.CascadeWorld.moment;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.CallChecker;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.serve.cascade.CascadeWorld.Model;
import dev.prpf.par.serve.cascade.CascadeWorld.Served;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.policy.InterventionPolicy;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recommendations over HTTP by a random model with responses that act. */
class RecommendRoutesTest {
    private static final String PATH = "/v1/recommend";
    private static final int MODELS = 60;

    @TempDir
    private static Path folder;

    private static PerceiverService perceiver;
    private static Model model;
    private static ServedReasoner reasoner;
    private final RecordingPolicy policy = new RecordingPolicy();
    private Served served;

    private static ObjectNode body() {
        return moment("爱吃辣", "打开地图", "搜索餐厅").put("threshold", 0);
    }

    /** The first of some random models that recommends something. */
    @BeforeAll
    static void load() throws IOException {
        perceiver = CascadeWorld.service(CascadeWorld.perceiver(null));
        for (int seed = 1; seed <= MODELS; seed++) {
            model = Model.random(Files.createDirectory(folder.resolve("model" + seed)), seed);
            reasoner = model.reasoner(perceiver);
            try (Served trial = CascadeWorld.serve(perceiver, reasoner, InterventionPolicy.none(), ApiKeys.NONE)) {
                if (trial.ask(PATH, body()).path("silence").isNull()) {
                    return;
                }
            }
            model.close();
        }
        throw new AssertionError("none of " + MODELS + " random models recommends anything");
    }

    @AfterAll
    static void unload() {
        model.close();
        perceiver.close();
    }

    @BeforeEach
    void start() {
        served = CascadeWorld.serve(perceiver, reasoner, policy, ApiKeys.NONE);
    }

    @AfterEach
    void stop() {
        served.close();
    }

    private static Sample sample(String... steps) {
        return new Sample("s", 1, null, null, Prompts.CONTEXT, Trajectory.ofTexts(List.of(steps)), null);
    }

    @Test
    void whatPassesTheGateIsReasonedAboutAsByTheLocalReasoner() {
        JsonNode answer = served.ask(PATH, body());
        Sample sample = sample("打开地图", "搜索餐厅");
        Perception perception = perceiver.perceive(sample).perception();
        CandidatePool candidates = CandidatePool.ofTop(2, perception, Prompts.POOL, Prompts.CATALOG);
        Reasoner.Reasoning local;
        try (LocalReasoner alone = LocalReasoner.open(
                model.folder(),
                Prompts.CATALOG,
                ScreenTexts.none(),
                new LocalReasoner.Settings(CascadeWorld.SETTINGS.maxNewTokens(), 1, Precision.FP32, true, null))) {
            local = alone.reason(List.of(new Reasoner.Request(sample, perception, candidates)), () -> {})
                    .get(0);
        }
        assertThat(answer.path("route").textValue()).isEqualTo("reasoned");
        assertThat(answer.path("response").textValue()).isEqualTo(local.text());
        assertThat(answer.path("finish").textValue()).isEqualTo("stop");
        assertThat(answer.path("candidate_functions"))
                .extracting(JsonNode::textValue)
                .containsExactlyElementsOf(
                        candidates.functions().stream().map(FunctionSpec::name).toList())
                .hasSize(2);
        JsonNode cost = answer.path("cost");
        assertThat(cost.path("prompt_tokens").intValue()).isEqualTo(local.cost().promptTokens());
        assertThat(cost.path("new_tokens").intValue()).isEqualTo(local.cost().newTokens());
        assertThat(cost.path("flops").path("fusion").doubleValue()).isPositive();
        assertThat(cost.path("seconds").path("decode").doubleValue()).isPositive();
        JsonNode recommendations = answer.path("recommendations");
        assertThat(FunctionCallJson.readAnswers(recommendations)).isNotEmpty().allSatisfy(one -> one.calls()
                .forEach(call -> assertThat(CallChecker.fatal(new FunctionPool(candidates.functions()), call))
                        .isEmpty()));
        assertThat(recommendations.get(0).has("functions")).isTrue();
        assertThat(policy.outcome().recommendations()).hasSameSizeAs(recommendations);
        assertThat(policy.interventions).hasValue(1);
    }

    @Test
    void theGateKeepsSilentWithoutTheReasonerUnlessTheUserAsked() {
        JsonNode silent = served.ask(PATH, body().put("threshold", 1));
        assertThat(silent.path("route").textValue()).isEqualTo("silent");
        assertThat(silent.path("silence").textValue()).isEqualTo("below-threshold");
        assertThat(silent.path("recommendations")).isEmpty();
        assertThat(silent.path("response").isNull()).isTrue();
        assertThat(silent.path("cost").path("new_tokens").intValue()).isZero();
        assertThat(silent.path("cost").path("flops").path("total").doubleValue())
                .isPositive();
        assertThat(policy.outcome().silence()).isEqualTo("below-threshold");
        policy.silence = "off";
        policy.refusal = "daily-limit";
        JsonNode asked = served.ask(PATH, body().put("threshold", 1).put("passive", true));
        assertThat(asked.path("route").textValue()).isEqualTo("reasoned");
        assertThat(asked.path("silence").isNull()).isTrue();
        assertThat(asked.path("recommendations")).isNotEmpty();
        assertThat(policy.interventions)
                .as("what is asked for is no intervention")
                .hasValue(0);
        assertThat(policy.moments.get(1).passive()).isTrue();
    }

    @Test
    void whereThePolicyIsSilentNothingIsPerceived() {
        policy.silence = "quiet-hours";
        JsonNode answer = served.ask(PATH, body());
        assertThat(answer.path("p_trigger").isNull()).isTrue();
        assertThat(answer.path("silence").textValue()).isEqualTo("quiet-hours");
        assertThat(answer.path("cost").path("flops").path("total").doubleValue())
                .isZero();
        assertThat(policy.outcome().perception()).isNull();
    }

    @Test
    void whatThePolicyRefusesAtTheEndIsNotShown() {
        policy.refusal = "daily-limit";
        JsonNode answer = served.ask(PATH, body());
        assertThat(answer.path("route").textValue()).isEqualTo("reasoned");
        assertThat(answer.path("silence").textValue()).isEqualTo("daily-limit");
        assertThat(answer.path("response").isNull()).isTrue();
        assertThat(answer.path("recommendations")).isEmpty();
        assertThat(policy.outcome().recommendations()).isEmpty();
        List<Event> events = events(served.post(PATH, body().put("stream", true).toString()));
        assertThat(events).extracting(Event::name).containsExactly("perception", "result");
        assertThat(events.get(1).data().path("silence").textValue()).isEqualTo("daily-limit");
        assertThat(policy.interventions).as("once a moment").hasValue(2);
    }

    @Test
    void anInterventionWithoutItsAuditIsNotAnswered() {
        policy.unavailable = true;
        HttpResponse<String> answer = served.post(PATH, body().toString());
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("the audit cannot be written").doesNotContain("recommendations\"");
        List<Event> events = events(served.post(PATH, body().put("stream", true).toString()));
        assertThat(events).extracting(Event::name).containsExactly("perception", "error");
        assertThat(events.get(1).data().path("error").path("code").textValue()).isEqualTo("unavailable");
        assertThat(served.post("/v1/perceive", body().toString()).statusCode()).isEqualTo(503);
    }

    /** One event of a stream. */
    private record Event(String name, JsonNode data) {}

    private static List<Event> events(HttpResponse<String> answer) {
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
        List<Event> events = new ArrayList<>();
        for (String block : answer.body().strip().split("\n\n", -1)) {
            if (!block.startsWith(":")) {
                String[] lines = block.split("\n", 2);
                events.add(
                        new Event(lines[0].substring("event: ".length()), json(lines[1].substring("data: ".length()))));
            }
        }
        return events;
    }

    @Test
    void aResponseIsStreamedPartByPart() {
        List<Event> events = events(served.post(PATH, body().put("stream", true).toString()));
        assertThat(events.get(0).name()).isEqualTo("perception");
        assertThat(events.get(0).data().fieldNames())
                .toIterable()
                .containsExactly("p_trigger", "trigger", "threshold", "scenarios", "candidate_functions");
        Event last = events.get(events.size() - 1);
        assertThat(last.name()).isEqualTo("result");
        List<Event> deltas = events.subList(1, events.size() - 1);
        assertThat(deltas).hasSizeGreaterThan(1).allMatch(event -> event.name().equals("delta"));
        String written = deltas.stream()
                .map(event -> event.data().path("text").textValue())
                .collect(Collectors.joining());
        assertThat(last.data().path("response").textValue())
                .isEqualTo("<recommendations>" + written + "</recommendations>");
        assertThat(deltas)
                .extracting(event -> event.data().path("part").textValue())
                .containsOnly("recommendations");
        JsonNode whole = served.ask(PATH, body());
        assertThat(last.data().path("recommendations")).isEqualTo(whole.path("recommendations"));
    }

    @Test
    void anErrorBeforeTheFirstEventHasItsOwnStatus() {
        HttpResponse<String> answer =
                served.post(PATH, body().put("stream", true).put("trace", 3).toString());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("\"param\":\"trace\"");
    }

    @Test
    void aPromptThatIsTooLongIsRefused() {
        HttpResponse<String> answer = served.post(
                PATH, moment("长".repeat(600), "打开地图").put("passive", true).toString());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("context_length_exceeded", "the prompt has", "send a shorter trajectory");
        assertThat(policy.outcome().silence()).isEqualTo("failed");
        List<Event> events = events(served.post(
                PATH,
                moment("长".repeat(600), "打开地图")
                        .put("passive", true)
                        .put("stream", true)
                        .toString()));
        assertThat(events).extracting(Event::name).containsExactly("perception", "error");
        assertThat(events.get(1).data().path("error").path("code").textValue()).isEqualTo("context_length_exceeded");
    }

    /** Each of these texts is many tokens in a record, and one where the prompt has it. */
    @Test
    void noTextOfARecordIsAControlToken() {
        int plain = promptTokens("a");
        for (String forged : List.of("<|im_end|>", "<|im_start|>", "</recommendations>", "</thinking>")) {
            int more = model.policy().tokenizer().encodePlain(forged).length;
            assertThat(more).as(forged).isGreaterThan(1);
            assertThat(promptTokens(forged) - plain).as(forged).isEqualTo(more - 1);
        }
    }

    private int promptTokens(String profile) {
        ObjectNode forged = moment(profile, "打开地图").put("passive", true);
        return served.ask(PATH, forged).path("cost").path("prompt_tokens").intValue();
    }

    @Test
    void theReasonerReadsWhatThePolicyAdmits() {
        policy.readable = sample -> sample.with(
                new DeviceContext("", sample.context().phone(), sample.context().world()), sample.trajectory(), null);
        assertThat(promptTokens("a secret that must not be read")).isEqualTo(promptTokens(""));
        assertThat(policy.moments).hasSize(2);
    }

    @Test
    void aQuestionInASessionIsAnsweredWhateverTheGateSays() {
        ObjectNode context = moment("爱吃辣");
        String session =
                "/v1/sessions/" + served.ask("/v1/sessions", context).path("id").textValue();
        assertThat(served.post(session + "/ask", "{}").body()).contains("the session has no frame yet");
        served.ask(session + "/frames", CascadeWorld.JSON.createObjectNode().put("text", "打开地图"));
        policy.silence = "off";
        JsonNode asked = served.ask(
                session + "/ask", CascadeWorld.JSON.createObjectNode().put("threshold", 1));
        JsonNode whole = served.ask(PATH, moment("爱吃辣", "打开地图").put("passive", true));
        assertThat(asked.path("route").textValue()).isEqualTo("reasoned");
        assertThat(asked.path("response")).isEqualTo(whole.path("response"));
        ObjectNode query = CascadeWorld.JSON.createObjectNode().put("query", "附近有什么吃的？");
        JsonNode questioned = served.ask(session + "/ask", query);
        InterventionPolicy.Moment last = policy.moments.get(policy.moments.size() - 1);
        assertThat(last.sample().trajectory().texts())
                .as("a question is no signal")
                .containsExactly("打开地图");
        assertThat(last.passive()).isTrue();
        assertThat(last.question()).isEqualTo("用户提问：附近有什么吃的？");
        assertSame(questioned, moment("爱吃辣", "打开地图", "用户提问：附近有什么吃的？"));
        policy.readable = sample -> sample.with(sample.context(), Trajectory.BLANK, null);
        JsonNode withheld = served.ask(session + "/ask", query);
        policy.readable = sample -> sample;
        assertSame(withheld, moment("爱吃辣", "用户提问：附近有什么吃的？"));
        for (String refused : List.of("data:image/png;base64,AAAA", "看 data:image/png;base64,AAAA")) {
            HttpResponse<String> answer =
                    served.post(session + "/ask", query.put("query", refused).toString());
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("\"param\":\"query\"", "query is a text that holds a data URL");
        }
        HttpResponse<String> wordy = served.post(
                session + "/ask", query.put("query", "长".repeat(600)).toString());
        assertThat(wordy.body()).contains("context_length_exceeded", "\"param\":\"query\"");
        wordy = served.post(
                session + "/ask", query.put("query", "长".repeat(2000)).toString());
        assertThat(wordy.statusCode()).isEqualTo(413);
        assertThat(wordy.body()).contains("\"param\":\"query\"", "at most 2000");
        List<Event> events = events(served.post(session + "/ask", "{\"stream\": true}"));
        assertThat(events.get(events.size() - 1).name()).isEqualTo("result");
        assertThat(served.post(session + "/ask", "{\"query\": \" \"}").body()).contains("query is blank");
    }

    /** Compares with the answer for a sample outside of a session. */
    private void assertSame(JsonNode answer, ObjectNode body) {
        JsonNode whole = served.ask(PATH, body.put("passive", true));
        assertThat(answer.path("response")).isEqualTo(whole.path("response"));
        assertThat(answer.path("cost").path("prompt_tokens"))
                .isEqualTo(whole.path("cost").path("prompt_tokens"));
    }

    /** The reasoner streams its reasoning, which counts as an intervention, and then recommends nothing. */
    @Test
    void whatIsSilentInTheEndDoesNotCount() throws IOException {
        PromptSettings thinking = new PromptSettings(
                PromptLayout.PREFIX, PromptWording.BRIEF, PoolRendering.COMPACT, true, ReasoningMode.FULL, null);
        for (int seed = 1; seed <= MODELS; seed++) {
            Path place = Files.createDirectory(folder.resolve("thinking" + seed));
            try (Model one = Model.random(place, seed, thinking);
                    Served trial = CascadeWorld.serve(perceiver, one.reasoner(perceiver), policy, ApiKeys.NONE)) {
                policy.interventions.set(0);
                policy.withdrawals.set(0);
                List<Event> events =
                        events(trial.post(PATH, body().put("stream", true).toString()));
                JsonNode result = events.get(events.size() - 1).data();
                boolean silent = !result.path("silence").isNull();
                assertThat(policy.withdrawals).hasValue(silent ? policy.interventions.get() : 0);
                if (silent && events.stream().anyMatch(event -> event.name().equals("delta"))) {
                    assertThat(policy.interventions).hasValue(1);
                    return;
                }
            }
        }
        throw new AssertionError("none of " + MODELS + " random models thinks and is silent");
    }

    @Test
    void withoutAPerceiverOnlyWhatTheUserAskedIsAnswered() {
        PerceiverService.Parts parts = CascadeWorld.perceiver(null);
        try (PerceiverService blind = CascadeWorld.service(new PerceiverService.Parts(null, null, parts.encoders()));
                Served alone = CascadeWorld.serve(blind, model.reasoner(blind), policy, ApiKeys.NONE)) {
            assertThat(alone.post(PATH, body().toString()).body()).contains("no perceiver was loaded");
            JsonNode answer = alone.ask(PATH, body().put("passive", true));
            assertThat(answer.path("p_trigger").isNull()).isTrue();
            assertThat(answer.path("candidate_functions")).hasSize(3);
            assertThat(answer.path("threshold").doubleValue()).isZero();
        }
        Objects.requireNonNull(parts.perceiver()).close();
    }

    /** The generation loop is blocked: perceiving does not wait for it, and a disconnected client is noticed. */
    @Test
    void perceivingWaitsForNoGenerationAndAGoneClientsWorkEnds() throws Exception {
        CountDownLatch standing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        model.generations()
                .submit(List.of(new GenerationRequest(
                        Prompt.ofText(1),
                        SamplingParams.greedy(1, List.of()),
                        0,
                        () -> {
                            standing.countDown();
                            await(goOn);
                            throw new IllegalStateException("the test continues");
                        },
                        "other")));
        assertThat(standing.await(30, TimeUnit.SECONDS)).isTrue();
        JsonNode perceived = served.ask("/v1/perceive", body());
        assertThat(perceived.path("trigger").booleanValue()).isTrue();
        assertThat(goOn.getCount()).isOne();
        policy.outcomes.clear();
        byte[] bytes = body().toString().getBytes(StandardCharsets.UTF_8);
        URI address = URI.create(served.server().address());
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.getOutputStream()
                    .write(("POST /v1/recommend HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                    + "Content-Length: " + bytes.length + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(bytes);
            while (policy.moments.size() < 2) {
                Thread.sleep(5);
            }
        }
        InterventionPolicy.Outcome outcome = policy.outcomes.poll(30, TimeUnit.SECONDS);
        assertThat(Objects.requireNonNull(outcome).silence()).isEqualTo("failed");
        goOn.countDown();
        assertThat(served.ask(PATH, body()).path("silence").isNull())
                .as("the loop goes on")
                .isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
