package dev.prpf.eval.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.Language;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.world.AppDefinition;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.eval.command.ChatServer;
import dev.prpf.par.agent.ChatPlayer;
import dev.prpf.par.agent.EpisodePolicy;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.ServerSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Episodes in which language models on a server play assistant and user. */
class ChatPlayerTest {
    private static final Map<String, String> NAMES = Map.of("user", "m", "observe", "m", "execute", "m");

    @TempDir
    private Path folder;

    private ChatServer server;
    private Function<JsonNode, String> says = body -> action("Assistant__wait", "");

    @BeforeEach
    void start() throws IOException {
        server = new ChatServer(body -> says.apply(body));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static String action(String name, String input) {
        return "Thought: so.\n\nAction:\n{\"action\": \"" + name + "\", \"action_input\": {" + input.replace('\'', '"')
                + "}}<end_action>";
    }

    /** Plays the parts as good models do. */
    private static String good(JsonNode body) {
        String system = body.at("/messages/0/content").asText();
        String last = ChatServer.last(body);
        if (system.contains("You play a person")) {
            return action(last.contains("An offer is open") ? "User__accept" : "User__wait", "'text': 'Yes'");
        }
        if (system.contains("You watch")) {
            return last.contains("Line 2 stops")
                    ? action("Taxi__quote", "'to': 'South Station'")
                    : last.contains("fare")
                            ? action("Assistant__propose", "'text': 'Shall I order a taxi to South Station?'")
                            : action("Assistant__wait", "");
        }
        return last.contains("call Taxi__order")
                ? action("Assistant__report", "'text': 'The taxi comes.'")
                : action("Taxi__order", "'to': 'South Station'");
    }

    private static String text(String name) throws IOException {
        try (InputStream in = ChatPlayerTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Episode play(String journal, Language language) throws IOException {
        AppDefinition taxi = StrictYaml.readText("taxi.yaml", text("taxi.yaml"), AppDefinition.class, List.of());
        Scenario scenario = StrictYaml.readText("train.yaml", text("train.yaml"), Scenario.class, List.of());
        ScenarioWorld world = new ScenarioWorld(scenario, Map.of("Taxi", taxi), 1);
        ServerSettings reached = new ServerSettings(List.of(server.baseUrl()), null, 2, 2, 10, 0, 1, null);
        try (ChatClient client = new ChatClient(reached, "m", Map.of(), () -> false);
                AnswerJournal answers = new AnswerJournal(folder.resolve(journal))) {
            SamplingSettings sampling = new SamplingSettings(0, 1, 99, 1L, JsonNodeFactory.instance.objectNode());
            ChatPlayer player = new ChatPlayer(client, answers, sampling, language);
            return new EpisodeRunner(
                            EpisodeRunner.TurnRule.PARE,
                            world,
                            player.user(world, "train-0"),
                            ChatPlayer.agent(player, player, world, "train-0"),
                            new EpisodePolicy(world, null))
                    .play("train-0", 0, 1, NAMES, Map.of());
        }
    }

    private static String bytes(Episode episode) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        EpisodeFile.write(out, episode);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void anAcceptedOffer_isExecutedToItsEnd() throws IOException {
        says = ChatPlayerTest::good;
        Episode episode = play("a.jsonl", Language.EN);
        assertThat(episode.steps().stream()
                        .filter(step -> step instanceof EpisodeStep.Action)
                        .map(step -> ((EpisodeStep.Action) step).function()))
                .containsExactly("quote", "order");
        assertThat(episode.steps())
                .anyMatch(step ->
                        step instanceof EpisodeStep.Message message && "The taxi comes.".equals(message.text()));
        assertThat(episode.header().facts()).containsKey("met_goals").doesNotContainKey("invalid_answers");
        assertThat(String.valueOf(episode.header().facts().get("met_goals"))).startsWith("{\"g\":");
        assertThat(server.bodies().get(1).at("/messages/0/content").asText())
                .contains("- Taxi__quote(to: string)")
                .doesNotContain("Taxi__notify");
        assertThat(server.bodies().stream().map(ChatServer::last))
                .anyMatch(last -> last.contains("- Taxi__notices()") || last.contains("- System__open_app("));
    }

    @Test
    void aSecondRunWithTheJournal_sendsNothingAndGivesEqualBytes() throws IOException {
        says = ChatPlayerTest::good;
        String first = bytes(play("a.jsonl", Language.EN));
        int sent = server.bodies().size();
        says = body -> ChatServer.DOWN;
        assertThat(bytes(play("a.jsonl", Language.EN))).isEqualTo(first);
        assertThat(server.bodies()).hasSize(sent);
        assertThat(Files.readString(folder.resolve("a.jsonl"))).contains("\"id\":\"train-0#observe-0\"");
    }

    @Test
    void aServerThatDies_endsTheRun_andAnotherRunRepeatsNoRequest() throws IOException {
        says = body -> server.bodies().size() > 4 ? ChatServer.DOWN : good(body);
        assertThatThrownBy(() -> play("a.jsonl", Language.EN)).isInstanceOf(UnavailableException.class);
        int sent = server.bodies().size();
        says = ChatPlayerTest::good;
        String resumed = bytes(play("a.jsonl", Language.EN));
        int more = server.bodies().size() - sent;
        assertThat(bytes(play("b.jsonl", Language.EN))).isEqualTo(resumed);
        assertThat(server.bodies()).hasSize(sent + more + more + 4);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "I would rather talk.",
                "Thought: x Action: {\"action\": \"Assistant__wait\"} Action: {\"action\": \"Assistant__wait\"}",
                "Action: {\"action\": \"Taxi__fly\", \"action_input\": {}}",
                "Action: {\"action\": \"Assistant__propose\", \"action_input\": {\"text\": \"<|im_end|>\"}}",
                "Action: {\"action\": \"Assistant__wait\"} …",
                ChatServer.TOO_LONG
            })
    void junk_isRetriedOnceThenAWait(String junk) throws IOException {
        says = body -> server.bodies().size() == 1 ? good(body) : junk;
        Episode episode = play("a.jsonl", Language.EN);
        assertThat(episode.header().facts().get("invalid_answers"))
                .as("six turns of each part, one of them good")
                .hasToString("11");
        assertThat(server.bodies()).as("one good answer, then two a turn").hasSize(1 + 2 * 11);
        assertThat(episode.steps()).noneMatch(step -> step instanceof EpisodeStep.Proposal);
        if (!junk.equals(ChatServer.TOO_LONG)) {
            assertThat(ChatServer.last(server.bodies().get(2))).startsWith("Error: ");
        }
    }

    @Test
    void chinesePrompts_areUsed() throws IOException {
        play("a.jsonl", Language.ZH);
        assertThat(server.bodies().get(0).at("/messages/0/content").asText()).contains("你扮演一个使用手机的人");
        assertThat(server.bodies().toString()).contains("你观察一个人的手机");
    }

    private int run(Path out, String... more) throws IOException {
        Path taxi = Files.writeString(folder.resolve("taxi.yaml"), text("taxi.yaml"));
        Path scenario = Files.writeString(
                folder.resolve("train.yaml"),
                text("train.yaml").replace("app: taxi}", "app: " + taxi.getFileName() + "}"));
        Path models = Files.writeString(
                folder.resolve("models.yaml"),
                "server: {urls: [" + server.baseUrl() + "], retries: 0}\nreasoner: {model: m}\n");
        List<String> words = new ArrayList<>(List.of("run", "--out", out.toString(), scenario.toString()));
        for (String word : more) {
            words.add(word.replace("MODELS", models.toString()));
        }
        return new CommandLine(new WorldCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(words.toArray(new String[0]));
    }

    @Test
    void theCommand_playsByModelsAndKeepsTheirAnswers() throws IOException {
        says = ChatPlayerTest::good;
        Path out = folder.resolve("episodes.jsonl");
        String[] models = {"--agent=chat", "--user=chat", "--observe-model=MODELS", "--user-model=MODELS"};
        assertThat(run(out, models)).isZero();
        int sent = server.bodies().size();
        String whole = Files.readString(out);
        assertThat(whole).contains("\"observe\":\"m|m\"", "\"user\":\"m\"", "The taxi comes.");
        Files.delete(out);
        assertThat(run(out, models)).isZero();
        assertThat(Files.readString(out)).isEqualTo(whole);
        assertThat(server.bodies()).hasSize(sent);
        assertThat(run(
                        out,
                        "--agent=chat",
                        "--user=chat",
                        "--observe-model=MODELS",
                        "--user-model=MODELS",
                        "--language=zh"))
                .as("prompts of another language")
                .isNotZero();
        assertThat(Files.readString(out)).isEqualTo(whole);
        assertThat(run(folder.resolve("b.jsonl"), "--agent=chat"))
                .as("without a model")
                .isNotZero();
        assertThat(run(folder.resolve("b.jsonl"), "--user=chat"))
                .as("without a model")
                .isNotZero();
    }
}
