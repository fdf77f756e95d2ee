package dev.prpf.par.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.RecordedServer;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.sets.PromptExample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests groups of responses from servers. */
class RemoteRolloutsTest {
    private static final String SILENCE = "<recommendations>[]</recommendations>";

    @TempDir
    private Path folder;

    private TinyPolicy policy;
    private RecordedServer server;

    @BeforeEach
    void start() throws IOException {
        policy = new TinyPolicy(Files.createDirectory(folder.resolve("tokenizer")));
        server = new RecordedServer().continuing(body -> RecordedServer.json(200, answer(body, policy.end.get(0))));
    }

    @AfterEach
    void stop() {
        server.close();
        policy.close();
    }

    /** Silence and what is no response in turn; the last one is cut off. */
    private String answer(JsonNode body, long end) {
        List<String> choices = new ArrayList<>();
        int n = body.path("n").intValue();
        for (int i = 0; i < n; i++) {
            long[] text = policy.tokenizer.encodePlain(i % 2 == 0 ? SILENCE : "oops" + body.path("seed"));
            boolean cut = i == n - 1;
            long[] ids = cut
                    ? text
                    : LongStream.concat(Arrays.stream(text), LongStream.of(end)).toArray();
            choices.add("{\"finish_reason\":\"" + (cut ? "length" : "stop") + "\",\"token_ids\":"
                    + Arrays.toString(ids) + ",\"logprobs\":{\"token_logprobs\":"
                    + Arrays.toString(
                            Arrays.stream(ids).mapToDouble(id -> -id / 1024.0).toArray()) + "}}");
        }
        return "{\"choices\":[" + String.join(",", choices) + "]}";
    }

    private static RolloutProvenance provenance(double temperature, boolean constrained) {
        return TinyPolicy.provenance(TinyPolicy.sampling(temperature, 0, 1, constrained));
    }

    private List<RolloutGroup> sample(RolloutProvenance provenance, List<PromptExample> prompts) {
        ServerSettings settings = new ServerSettings(List.of(server.baseUrl()), null, 3, 20, 20, 0, 1, null);
        try (ChatClient client = new ChatClient(settings, "policy", Map.of(), () -> false)) {
            return policy.sampler(64).sample(client, provenance, prompts);
        }
    }

    @Test
    void groupHasTheServersTokensAndOurRewards() {
        List<PromptExample> prompts = policy.prompts(5);
        List<RolloutGroup> groups = sample(provenance(1, false), prompts);
        assertThat(groups).extracting(RolloutGroup::id).containsExactly("s0", "s1", "s2", "s3", "s4");
        for (int i = 0; i < groups.size(); i++) {
            RolloutGroup group = groups.get(i);
            assertThat(group.promptIds()).isEqualTo(prompts.get(i).ids());
            assertThat(group.provenance()).isEqualTo(provenance(1, false));
            assertThat(group.rollouts()).hasSize(4);
            Rollout silent = group.rollouts().get(0);
            assertThat(silent.text()).isEqualTo(SILENCE);
            assertThat(silent.finish()).isEqualTo(FinishReason.END_TOKEN);
            assertThat(silent.ids()).endsWith(policy.end.get(0));
            assertThat(silent.logprobs()[0]).isCloseTo(-silent.ids()[0] / 1024f, within(1e-5f));
            assertThat(silent.reward().outcome())
                    .isEqualTo(group.intervention() ? ConfusionOutcome.FN : ConfusionOutcome.TN);
            Rollout cut = group.rollouts().get(3);
            assertThat(cut.text()).startsWith("oops");
            assertThat(cut.finish()).isEqualTo(FinishReason.LENGTH);
            assertThat(cut.reward().outcome()).isNull();
        }
    }

    @Test
    void drawsOfAPromptAreIndependentOfOthers() {
        List<PromptExample> prompts = policy.prompts(3);
        sample(provenance(1, false), prompts);
        List<Long> seeds = server.bodies().stream()
                .map(body -> body.path("seed").longValue())
                .toList();
        assertThat(seeds).doesNotHaveDuplicates().allSatisfy(seed -> assertThat(seed)
                .isBetween(0L, 1L << 62));
        sample(provenance(1, false), prompts.subList(1, 2));
        assertThat(server.bodies().get(3))
                .as("the same request")
                .isIn(server.bodies().subList(0, 3));
    }

    @Test
    void samplingWithoutServerLogprobsIsRejected() {
        refused(
                provenance(0.8, false),
                "sampling.temperature = 0.8: servers report log-probabilities only at temperature 1");
        refused(provenance(1, true), "sampling.constrained = true", "set it to false");
        assertThat(server.bodies()).isEmpty();
    }

    @Test
    void serverOfAnotherModelIsRejectedByItsEndToken() {
        server.continuing(body -> RecordedServer.json(200, answer(body, 5)));
        refused(provenance(1, false), "the server ended a response with token 5", "the model's end tokens are [");
    }

    private void refused(RolloutProvenance provenance, String... words) {
        assertThatThrownBy(() -> sample(provenance, policy.prompts(1)))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_CONFIG))
                .hasMessageContainingAll(words);
    }

    @Test
    void theModelOfTheServersHasAName() {
        ServerSettings settings = new ServerSettings(List.of("http://h/v1"), null, 1, 1, 1, 0, 1, null);
        assertThatThrownBy(() -> new RemoteRollouts.Config(settings, " "))
                .hasMessage("model = \" \" must be the model's name in the servers' /v1/models");
    }
}
