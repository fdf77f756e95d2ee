package dev.prpf.par.serve.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.cascade.PareRole.RoleSettings;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.openai.LetterEncoder;
import dev.prpf.par.serve.openai.OpenAiRoutes;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Chats of PARE, answered by a server with a fixed gate and a fixed reasoner. */
class PareRoleTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Pattern OFFERED = Pattern.compile("(?m)^- (\\w+__\\w+):");
    private static final String TRAPS = "True \"so\" C:\\ Action: x Observation: <end_action> {";
    private static final String SYSTEM =
            """
            You help on a phone. Tools:
            - PAREAgentUserInterface__wait: Acts on app PAREAgentUserInterface: Do nothing
              for now.
                Takes inputs: {}
                Returns an output of type: string

            - PAREAgentUserInterface__send_message_to_user: Acts on app PAREAgentUserInterface: Talk to the user.
                Takes inputs: {'content': {'description': 'it\\'s the text', 'type': 'string', 'default': ''}}
                Returns an output of type: any

            - System__wait_for_notification: Acts on app System: Sleep.
                Takes inputs: {'timeout': {'description': "the user's patience", 'type': 'integer', 'default': 0}}
                Returns an output of type: any

            - Post__list_letters: Acts on app Post: List letters.
                Takes inputs: {'box': {'description': 'None or a box', 'type': 'string', 'default': None}}
                Returns an output of type: any

            - Post__edit_letter: Acts on app Post: Change a letter.
                Takes inputs: {'id': {'description': 'which', 'type': 'string'}, 'open': {'description': 'True: open', 'type': 'boolean', 'default': False}, 'page': {'description': '', 'type': 'integer'}}
                Returns an output of type: any

            - a list: that is no tool
            Today's date in 'YYYY-MM-DD HH' format is 2026-03-02 08
            """;
    private static final String SEEN =
            """
            Environment notifications updates:
            ***
            [2026-03-02 08:00:01] New letter from Ann: Dinner

            Will you come?
            [2026-03-02 08:00:02] None
            ***
            """;
    private static final String MOVED =
            """
            [User Actions]:
            ***
            [2026-03-02 08:00:09] StatefulPostApp__open_letter(letter_id='7')
            ***
            """;
    private static final String TASK =
            """
            [TASK]:\s
            Proposed Goal: Shall I answer Ann?
            User reply: Received at: 2026-03-02 08:01:00
            Sender: User
            Message: [ACCEPT]: Yes, say I come.
            Already read: False
            """;

    private static PerceiverService.Parts shared;
    private final List<Reasoner.Request> asked = Collections.synchronizedList(new ArrayList<>());
    private double trigger = 0.9;
    private Function<Reasoner.Request, List<Recommendation>> reasons = request -> List.of();
    private PerceiverService perceiver;
    private ApiServer server;

    private final class FixedPerceiver implements Perceiver {
        @Override
        public String id() {
            return "fixed";
        }

        @Override
        public List<Perception> perceive(List<Sample> samples) {
            return samples.stream()
                    .map(sample -> new Perception(trigger, Map.of("Food", 0.8, "Travel", 0.1, "Work", 0.2)))
                    .toList();
        }

        @Override
        public void close() {}
    }

    private final class FixedReasoner implements ServedReasoner {
        @Override
        public PromptWording wording() {
            return PromptWording.ENGLISH;
        }

        @Override
        public Reasoner.Reasoning reason(String caller, Reasoner.Request request, Listener listener) {
            asked.add(request);
            return new Reasoner.Reasoning(
                    "", new ParResponse.Parsed(null, null, null, reasons.apply(request)), null, PredictionCost.NOTHING);
        }
    }

    @BeforeAll
    static void load() {
        shared = CascadeWorld.perceiver(null);
    }

    @AfterAll
    static void unload() {
        shared.encoders().close();
    }

    @BeforeEach
    void start() {
        perceiver = new PerceiverService(
                new PerceiverService.Parts(new FixedPerceiver(), null, shared.encoders()),
                CascadeWorld.SETTINGS,
                new ServerMetrics());
        serve(new RoleSettings(0, 0), ServeConfig.DEFAULT.http());
    }

    private void serve(RoleSettings settings, HttpSettings http) {
        ServedCascade cascade = new ServedCascade(
                new ServedCascade.Parts(
                        perceiver, new FixedReasoner(), Prompts.POOL, Prompts.CATALOG, 0.5, new RecordingPolicy()),
                CascadeWorld.SETTINGS);
        ServerMetrics metrics = new ServerMetrics();
        server = ApiServer.start(
                new ApiServer.Place("127.0.0.1", 0, ApiKeys.NONE),
                http,
                metrics,
                List.of(new OpenAiRoutes(
                        null,
                        PareRole.of(cascade, ServeConfig.DEFAULT.cascade(), settings),
                        new OpenAiRoutes.EmbeddingModel("letters", new LetterEncoder()),
                        new RequestBody(ServeConfig.DEFAULT.http()),
                        metrics)),
                () -> true);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String send(HttpRequest.Builder request) {
        try {
            return CLIENT.send(request.build(), BodyHandlers.ofString()).body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String post(ObjectNode body) {
        return send(HttpRequest.newBuilder(URI.create(server.address() + "/v1/chat/completions"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString())));
    }

    /** @param messages the system prompt, then the user's; those of the model begin with "Thought:" */
    private static ObjectNode body(String model, String... messages) {
        ObjectNode body = JSON.createObjectNode().put("model", model);
        ArrayNode list = body.putArray("messages");
        for (String message : messages) {
            String role = message.equals(SYSTEM) ? "system" : message.startsWith("Thought:") ? "assistant" : "user";
            list.addObject().put("role", role).put("content", message);
        }
        return body;
    }

    private String reply(String model, String... messages) {
        return content(post(body(model, messages)));
    }

    private static String content(String answer) {
        JsonNode content = CascadeWorld.json(answer).at("/choices/0/message/content");
        assertThat(content.isTextual()).as(answer).isTrue();
        return content.textValue();
    }

    /** Reads a reply by PARE's rules, written a second time. */
    private static JsonNode action(String reply) {
        assertThat(reply).contains("Thought:").containsOnlyOnce("Action:");
        String text = reply.split("<end_action>", 2)[0]
                .split("Observation:", 2)[0]
                .replace("True", "true")
                .replace("False", "false")
                .replace("\\\"", "'");
        String after = text.substring(text.indexOf("Action:"));
        JsonNode action = CascadeWorld.json(after.substring(after.indexOf('{'), after.lastIndexOf('}') + 1));
        assertThat(action.path("action").asText()).matches("[^_]+(_[^_]+)*__[^_]+(_[^_]+)*");
        assertThat(action.path("action_input").isObject()).isTrue();
        return action;
    }

    private static String said(String reply) {
        assertThat(action(reply).path("action").asText()).endsWith("UserInterface__send_message_to_user");
        return action(reply).at("/action_input/content").asText();
    }

    private static String waited(String reply) {
        assertThat(action(reply).toString())
                .isEqualTo("{\"action\":\"PAREAgentUserInterface__wait\",\"action_input\":{}}");
        return reply.substring(0, reply.indexOf("\n"));
    }

    private static Recommendation calls(String instruction, String name, Map<String, JsonNode> with) {
        return new Recommendation(instruction, List.of(new FunctionCall(name, with)));
    }

    private static Recommendation noodles() {
        return calls("Order noodles for dinner with Ann?", "order_food", Map.of("dish", TextNode.valueOf("noodles")));
    }

    private static String result(int step, String kind, String text) {
        return "[OUTPUT OF STEP " + step + "] " + kind + ":\n***\n" + text + "\n***\n";
    }

    @Test
    void modelsListTheRoles() {
        String models = send(HttpRequest.newBuilder(URI.create(server.address() + "/v1/models")));
        assertThat(CascadeWorld.json(models).at("/data").findValuesAsText("id"))
                .containsExactly("prpf-observe", "prpf-execute", "letters");
        assertThat(post(body("other", SYSTEM))).contains("this server was started without a reasoner");
    }

    @Test
    void whatTheGateStops_isAWaitWithoutTheReasoner() {
        trigger = 0.2;
        String answer = post(body("prpf-observe", SYSTEM, SEEN, MOVED));
        assertThat(waited(content(answer))).isEqualTo("Thought: No help is due: below-threshold.");
        assertThat(CascadeWorld.json(answer).at("/usage/total_tokens").asInt()).isZero();
        assertThat(asked).isEmpty();
    }

    @Test
    void aRecommendation_isAnOfferOnce() {
        reasons = request -> List.of(noodles());
        String first = reply("prpf-observe", SYSTEM, SEEN, MOVED);
        assertThat(said(first))
                .isEqualTo("Order noodles for dinner with Ann?\norder_food{'dish':'noodles'}".replace('\'', '"'));
        assertThat(waited(reply("prpf-observe", SYSTEM, SEEN, first, result(1, "Observation", "None"), MOVED)))
                .isEqualTo("Thought: This was done before.");
        Reasoner.Request request = asked.get(0);
        assertThat(request.sample().trajectory().texts())
                .containsExactly(
                        "New letter from Ann: Dinner\n\nWill you come?", "StatefulPostApp__open_letter(letter_id='7')");
        assertThat(request.sample().context().world()).isEqualTo("2026-03-02 08");
        assertThat(request.candidates().functions().stream().map(FunctionSpec::name))
                .as("the shortlist, and no function that writes")
                .containsExactly("order_food", "create_note", "Post__list_letters");
    }

    @Test
    void aReadOfThePrompt_isCalledAndItsResultIsAStep() {
        reasons = request -> List.of(calls("", "Post__list_letters", Map.of("box", TextNode.valueOf("in"))));
        String read = reply("prpf-observe", SYSTEM, SEEN, MOVED);
        assertThat(action(read).toString())
                .isEqualTo("{\"action\":\"Post__list_letters\",\"action_input\":{\"box\":\"in\"}}");
        String result = result(1, "Observation", "[Letter(id='7')]");
        assertThat(waited(reply("prpf-observe", SYSTEM, SEEN, MOVED, read, result)))
                .isEqualTo("Thought: This was done before.");
        assertThat(asked.get(1).sample().trajectory().texts()).endsWith("Post__list_letters: \n[Letter(id='7')]");
        reply("prpf-observe", SYSTEM, MOVED, read, result, read, result, read, result, read, result);
        assertThat(asked.get(2).candidates().functions().stream().map(FunctionSpec::name))
                .as("after four reads of a turn")
                .doesNotContain("Post__list_letters");
    }

    @Test
    void anAcceptedOffer_isExecutedThenReported() {
        Map<String, JsonNode> with = new TreeMap<>(Map.of("id", TextNode.valueOf(TRAPS), "page", IntNode.valueOf(2)));
        reasons = request -> List.of(calls("", "Post__edit_letter", with), calls("", "Post__list_letters", Map.of()));
        String first = reply("prpf-execute", SYSTEM, TASK);
        assertThat(action(first).at("/action_input/id").asText()).isEqualTo(TRAPS);
        String second = reply("prpf-execute", SYSTEM, TASK, first, result(1, "ERROR", "no such letter"));
        assertThat(action(second).path("action").asText()).isEqualTo("Post__list_letters");
        String last = reply(
                "prpf-execute",
                SYSTEM,
                TASK,
                first,
                result(1, "ERROR", "none"),
                second,
                result(2, "Observation", "[]"));
        assertThat(said(last)).isEqualTo("I called Post__edit_letter, Post__list_letters. Failed: Post__edit_letter.");
        Reasoner.Request request = asked.get(0);
        assertThat(request.sample().trajectory().texts())
                .containsExactly("Shall I answer Ann?\n[ACCEPT]: Yes, say I come.");
        assertThat(request.candidates().functions())
                .extracting(FunctionSpec::name)
                .containsExactly("Post__list_letters", "Post__edit_letter");
        assertThat(request.candidates().functions().get(1).parameters())
                .extracting(ParameterSpec::name, ParameterSpec::type, ParameterSpec::required)
                .hasToString("[(\"id\", \"string\", true), (\"open\", \"bool\", false), (\"page\", \"int\", true)]");
    }

    @Test
    void aFailureInside_isAWaitOrAnHonestMessage() {
        reasons = request -> {
            throw ApiException.overloaded(Duration.ofSeconds(1), "full");
        };
        assertThat(waited(reply("prpf-observe", SYSTEM, SEEN))).isEqualTo("Thought: The assistant's server failed.");
        assertThat(said(reply("prpf-execute", SYSTEM, TASK)))
                .isEqualTo("The assistant's server failed. I made no call, so nothing has changed.");
        reasons = request -> List.of();
        assertThat(said(reply("prpf-execute", SYSTEM, TASK))).isEqualTo("I made no call, so nothing has changed.");
    }

    @Test
    void aPromptThatIsTooLongWithItsReads_isAskedWithoutThem() {
        reasons = request -> {
            if (request.candidates().functions().size() > 2) {
                throw ApiException.contextLengthExceeded(null, "too long");
            }
            return List.of(noodles());
        };
        assertThat(said(reply("prpf-observe", SYSTEM, SEEN))).startsWith("Order noodles");
    }

    @Test
    void aChatOfMoreThanAMillionCharacters_isRefused() {
        assertThat(post(body("prpf-observe", SYSTEM, "x".repeat(1_000_000)))).contains("must have at most 1000000");
    }

    /** Names without a colon took a time that grew with the square of their length. */
    @Test
    void longNamesAndActions_areRead() {
        String names = ("- " + "_".repeat(1_990) + "\n").repeat(400);
        String action = "Thought: x\nAction:\n{\"action\":\"A__b\",\"action_input\":{\"x\":[" + "{},".repeat(30_000)
                + "{}]}}<end_action>";
        ObjectNode body = body("prpf-observe", SYSTEM, action);
        ((ObjectNode) body.at("/messages/0")).put("content", SYSTEM + "\n" + names);
        assertThat(content(post(body))).startsWith("Thought:");
    }

    @Test
    void otherFieldsAndPartsOfMessages_areIgnoredOrJoined() {
        ObjectNode body = body("prpf-observe", SYSTEM)
                .put("temperature", "hot")
                .put("n", 99)
                .put("user", 7)
                .put("stream", "no");
        body.withArray("messages")
                .addObject()
                .put("role", "user")
                .putArray("content")
                .add(JSON.createObjectNode().put("type", "text").put("text", SEEN));
        body.withArray("messages").add(3).addObject();
        reasons = request -> List.of(noodles());
        assertThat(said(content(post(body)))).startsWith("Order noodles");
        assertThat(reply("prpf-execute", "Reply with only the word ok")).startsWith("ok");
        assertThat(reply("prpf-execute")).startsWith("ok");
    }

    @Test
    void aStream_joinsToTheWholeReply() {
        reasons = request -> List.of(noodles());
        String whole = reply("prpf-observe", SYSTEM, SEEN);
        ObjectNode body = body("prpf-observe", SYSTEM, SEEN).put("stream", true);
        body.putObject("stream_options").put("include_usage", true);
        List<String> events = Arrays.stream(post(body).split("\n\n"))
                .map(event -> event.replaceFirst("^data: ", ""))
                .toList();
        assertThat(events).endsWith("[DONE]");
        assertThat(events.subList(0, events.size() - 1).stream()
                        .map(event -> CascadeWorld.json(event)
                                .at("/choices/0/delta/content")
                                .asText())
                        .collect(Collectors.joining()))
                .isEqualTo(whole);
        assertThat(events.get(events.size() - 2)).contains("\"usage\":{\"prompt_tokens\":");
    }

    @Test
    void aReply_takesTheMinimumTime() {
        server.close();
        serve(new RoleSettings(0.4, 0), ServeConfig.DEFAULT.http());
        trigger = 0;
        long begin = System.nanoTime();
        waited(reply("prpf-observe", SYSTEM, SEEN));
        assertThat((System.nanoTime() - begin) / 1e9).isBetween(0.4, 5.0);
    }

    @Test
    void repliesThatWait_leaveTheHandlersToOthers() throws InterruptedException {
        server.close();
        serve(new RoleSettings(1.5, 0), new HttpSettings(1, 8, 16, 1000, 2, 16, 1, 0, 60, List.of()));
        trigger = 0;
        long begin = System.nanoTime();
        List<CompletableFuture<String>> replies = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            replies.add(CompletableFuture.supplyAsync(
                    () -> reply("prpf-observe", SYSTEM, SEEN), task -> new Thread(task).start()));
            Thread.sleep(30);
        }
        assertThat(replies).allSatisfy(reply -> waited(reply.join()));
        assertThat((System.nanoTime() - begin) / 1e9)
                .as("40 replies by 16 handlers")
                .isBetween(1.5, 30.0);
    }

    @Test
    void repliesThatWait_areSentBeforeTheServerStops() throws InterruptedException {
        server.close();
        serve(new RoleSettings(1.5, 0), ServeConfig.DEFAULT.http());
        CountDownLatch reasoned = new CountDownLatch(2);
        reasons = request -> {
            reasoned.countDown();
            return List.of(noodles());
        };
        Executor each = task -> new Thread(task).start();
        CompletableFuture<String> whole =
                CompletableFuture.supplyAsync(() -> post(body("prpf-observe", SYSTEM, SEEN)), each);
        CompletableFuture<String> stream = CompletableFuture.supplyAsync(
                () -> post(body("prpf-observe", SYSTEM, SEEN).put("stream", true)), each);
        assertThat(reasoned.await(30, TimeUnit.SECONDS)).isTrue();
        Thread.sleep(200); // until both replies wait
        server.drain();
        server.close();
        assertThat(said(content(whole.join()))).startsWith("Order noodles");
        assertThat(stream.join()).contains("Order noodles").endsWith("data: [DONE]\n\n");
    }

    /** Recommends by turns an offer, calls of the candidates with difficult texts, nothing, and a failure. */
    private List<Recommendation> varied(Reasoner.Request request) {
        List<FunctionSpec> functions = request.candidates().functions();
        int number = asked.size();
        if (number % 7 == 0) {
            throw new IllegalStateException("broken");
        }
        if (number % 5 == 0) {
            return List.of();
        }
        FunctionSpec function = functions.get(number * 11 % functions.size());
        Map<String, JsonNode> with = new TreeMap<>();
        function.parameters().forEach(one -> with.put(one.name(), TextNode.valueOf(number + TRAPS)));
        return List.of(calls("Shall I? " + TRAPS, function.name(), with));
    }

    @Test
    void everyRecordedPrompt_getsAnActionWithAFunctionOfItsOwn() throws IOException {
        Path traces = Path.of(System.getenv().getOrDefault("PRPF_TESTDATA", ""), "pare", "traces");
        assumeTrue(Files.isDirectory(traces), "skipped: no pare/traces in the folder that PRPF_TESTDATA names");
        reasons = this::varied;
        Map<String, Map<String, Integer>> replies = new TreeMap<>();
        try (Stream<Path> files = Files.list(traces)) {
            for (Path file : files.sorted().toList()) {
                for (JsonNode line : JSON.readTree(file.toFile()).path("world_logs")) {
                    replay(JSON.readTree(line.textValue()), replies);
                }
            }
        }
        Map<String, Integer> observed = replies.getOrDefault("prpf-observe", Map.of());
        Map<String, Integer> executed = replies.getOrDefault("prpf-execute", Map.of());
        assertThat(observed.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(49);
        assertThat(executed.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(10);
        assertThat(observed).containsKeys("read", "wait", "message");
        assertThat(executed).containsKeys("call", "message");
    }

    private void replay(JsonNode log, Map<String, Map<String, Integer>> replies) {
        String system = log.path("content").path(0).path("content").asText();
        boolean observes = system.contains("proactive assistant that monitors");
        if (!log.path("log_type").asText().equals("llm_input")
                || !(observes || system.contains("proactive assistant executing"))) {
            return;
        }
        String model = observes ? "prpf-observe" : "prpf-execute";
        ObjectNode body = JSON.createObjectNode().put("model", model);
        for (JsonNode message : log.path("content")) {
            String role = message.path("role").asText();
            body.withArray("messages")
                    .addObject()
                    .put("role", role.equals("tool-response") ? "user" : role)
                    .put("content", message.path("content").asText());
        }
        String name = action(content(post(body))).path("action").asText();
        Set<String> offered =
                OFFERED.matcher(system).results().map(MatchResult::group).collect(Collectors.toSet());
        assertThat(offered).contains("- " + name + ":");
        String kind = name.endsWith("__wait")
                ? "wait"
                : name.endsWith("__send_message_to_user") ? "message" : observes ? "read" : "call";
        replies.computeIfAbsent(model, key -> new TreeMap<>()).merge(kind, 1, Integer::sum);
    }
}
