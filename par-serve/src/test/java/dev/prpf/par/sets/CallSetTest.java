package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.data.calls.CallRecord.AcceptedCall;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.sets.DataCallsConfig.CallSetSettings;
import dev.prpf.par.sets.PromptExamples.RolloutPromptSettings;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.SmallTokenizer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallSetTest {
    private static final PromptSettings PROMPT = prompt(false, ReasoningMode.NONE);

    @TempDir
    private static Path folder;

    private static ChatTokenizer chat;

    @BeforeAll
    static void loadTokenizer() {
        SmallTokenizer.write(folder);
        chat = PromptProvenance.tokenizer(folder);
    }

    @AfterAll
    static void closeTokenizer() {
        chat.close();
    }

    private static PromptSettings prompt(boolean scenes, ReasoningMode reasoning) {
        return new PromptSettings(
                PromptLayout.PAPER, PromptWording.ENGLISH, PoolRendering.SIGNATURE, scenes, reasoning, null);
    }

    private static CallSetSettings settings(int maxLength, double testShare) {
        return new CallSetSettings(maxLength, 4, testShare, 1);
    }

    private static FunctionSpec function(String name, String description) {
        return new FunctionSpec(
                name,
                description,
                List.of(),
                List.of(
                        new ParameterSpec("x", "", "int", true, null, null),
                        new ParameterSpec("y", "", "int", false, null, null)));
    }

    private static CallRecord irrelevant(String id, String request, FunctionSpec... functions) {
        return new CallRecord(id, List.of(request), List.of(functions), List.of());
    }

    /** The first function is called; values are JSON. */
    private static CallRecord acting(String id, String request, FunctionSpec function, String values) {
        Map<String, JsonNode> accepted = new LinkedHashMap<>();
        try {
            new ObjectMapper().readTree(values).properties().forEach(e -> accepted.put(e.getKey(), e.getValue()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(values, e);
        }
        return new CallRecord(id, List.of(request), List.of(function), List.of(new AcceptedCall(function, accepted)));
    }

    /** Every second one is irrelevant. */
    private static List<CallRecord> many(int n) {
        List<CallRecord> records = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            FunctionSpec function = function("f" + i, "Does thing " + i + ".");
            records.add(
                    i % 2 == 0
                            ? acting("r" + i, "Do thing " + i, function, "{\"x\": [" + i + "]}")
                            : irrelevant("r" + i, "Do no thing " + i, function));
        }
        return records;
    }

    private static CallSet build(List<CallRecord> records, CallSetSettings settings) {
        return CallSet.build(records, new DataCallsConfig(PROMPT, settings), chat);
    }

    private static int silent(List<CallSet.Entry> entries) {
        return (int)
                entries.stream().filter(entry -> !entry.record().intervention()).count();
    }

    private static Stream<CallSet.Entry> all(CallSet set) {
        return Stream.concat(set.train().stream(), set.test().stream());
    }

    private static CallSet.Entry entry(CallSet set, String id) {
        return all(set).filter(entry -> entry.sample().id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void recordHasRequestFunctionsAndFirstAnswer() {
        List<CallRecord> records = new ArrayList<>(many(6));
        records.add(acting("a", "Add 3 <|im_end|>", function("add", "Adds."), "{\"x\": [3, 4], \"y\": [\"\", 1]}"));
        CallSet set = build(records, settings(2000, 0.3));
        CallSet.Entry entry = entry(set, "a");

        String user = Piece.text(entry.record().user());
        assertThat(user)
                .contains("<step>1\nAdd 3 <|im_end|>\n</step>")
                .contains("<available_functions>\nadd(x: int, y?: int) Adds.\n</available_functions>")
                .doesNotContain("f0(");
        assertThat(entry.record().user()).contains(Piece.plain("Add 3 <|im_end|>"));
        assertThat(Piece.text(entry.record().response()))
                .isEqualTo(
                        "<recommendations>[{\"instruction\":\"\",\"function\":[{\"name\":\"add\",\"parameters\":{\"x\":3}}]}]"
                                + "</recommendations>");
        assertThat(entry.sample().validSequences()).hasSize(4).allSatisfy(calls -> assertThat(calls)
                .hasSize(1));
        assertThat(entry.record().intervention()).isTrue();
        assertThat(entry.record().wording()).isEqualTo(SftRecord.wordingOf(PROMPT));

        CallSet.Entry silent = entry(set, "r1");
        assertThat(Piece.text(silent.record().response())).isEqualTo("<recommendations>[]</recommendations>");
        assertThat(silent.record().intervention()).isFalse();
        assertThat(silent.sample().wantsIntervention()).isFalse();
        assertThat(set.pool().names()).contains("add", "f1").hasSize(7);
    }

    @Test
    void sidesShareNoFunctionAndNoRequest() {
        List<CallRecord> records = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            FunctionSpec own = function("g" + (i % 20), "Own.");
            records.add(irrelevant("s" + i, "Ask " + (i / 3), own, function("h" + (i % 30), "Beside.")));
        }
        records.addAll(many(40));
        CallSet set = build(records, settings(4000, 0.3));

        assertThat(set.test().size()).isBetween(30, 69);
        assertThat(all(set)).hasSize(100);
        Set<String> requests = new HashSet<>();
        set.test().forEach(entry -> requests.add(entry.sample().trajectory().toString()));
        assertThat(set.train())
                .noneMatch(
                        entry -> requests.contains(entry.sample().trajectory().toString()));
        String held = String.join(
                "",
                set.test().stream()
                        .map(entry -> Piece.text(entry.record().user()))
                        .toList());
        for (CallSet.Entry entry : set.train()) {
            String own =
                    Piece.text(entry.record().user()).replaceAll("(?s).*<available_functions>\n(\\w+)\\(.*", "$1(");
            assertThat(held).doesNotContain("\n" + own);
        }
        assertThat(set.train()).allMatch(entry -> "train".equals(entry.sample().split()));
        assertThat(set.test()).allMatch(entry -> "test".equals(entry.sample().split()));
    }

    @Test
    void onlyTheSeedDecidesTheHeldOutRecords() {
        List<CallRecord> records = many(30);
        CallSet once = build(records, settings(2000, 0.3));
        CallSet again = build(records, settings(2000, 0.3));
        assertThat(again.train()).isEqualTo(once.train());
        assertThat(again.test()).isEqualTo(once.test());
        CallSet other = build(records, new CallSetSettings(2000, 4, 0.3, 2));
        assertThat(other.test()).isNotEqualTo(once.test()).hasSize(9);
    }

    @Test
    void omittedRecordsAreCounted() {
        List<CallRecord> records = new ArrayList<>(many(10));
        records.add(irrelevant("long", "word ".repeat(400), function("l", "")));
        records.add(acting("many", "Do", function("m", ""), "{\"x\": [1, 2, 3, 4, 5]}"));
        records.add(irrelevant("same", "Again", function("f0", "Does thing 0.")));
        records.add(irrelevant("other", "Again", function("f0", "Does another thing.")));
        CallSet set = build(records, settings(1500, 0.3));

        assertThat(set.counts())
                .isEqualTo(new CallSet.Counts(
                        14,
                        1,
                        1,
                        1,
                        set.counts().longest(),
                        10,
                        set.train().size(),
                        silent(set.train()),
                        set.test().size(),
                        silent(set.test())));
        assertThat(set.counts().longest()).isGreaterThan(1500);
        assertThat(all(set).map(entry -> entry.sample().id()))
                .hasSize(11)
                .contains("same")
                .doesNotContain("long", "many", "other");
    }

    @Test
    void unsupportedPromptSettingsAreRejected() {
        assertThatThrownBy(() -> CallSet.build(
                        many(10), new DataCallsConfig(prompt(true, ReasoningMode.NONE), settings(2000, 0.3)), chat))
                .hasMessageContaining("prompt.scenes = true")
                .hasMessageContaining("set scenes to false and reasoning to none")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(78);
        assertThatThrownBy(() -> CallSet.build(
                        many(10), new DataCallsConfig(prompt(false, ReasoningMode.FULL), settings(2000, 0.3)), chat))
                .hasMessageContaining("prompt.reasoning = FULL");
        List<CallRecord> twice = new ArrayList<>(many(3));
        twice.addAll(many(1));
        assertThatThrownBy(() -> build(twice, settings(2000, 0.3)))
                .hasMessageContaining("record id \"r0\" is a duplicate")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
        assertThatThrownBy(() -> build(many(10), settings(20, 0.3)))
                .hasMessageContaining("of 10 records 0 can be used")
                .hasMessageContaining("overLong=10")
                .hasMessageContaining("raise set.max-length");
        assertThatThrownBy(() -> new CallSetSettings(200, 4, 0, 1)).hasMessage("test-share = 0.0 must be in (0, 0.9]");
        assertThatThrownBy(() -> new CallSetSettings(0, 4, 0.5, 1)).hasMessage("max-length = 0 must be at least 1");
        assertThatThrownBy(() -> new CallSetSettings(200, 0, 0.5, 1)).hasMessage("max-answers = 0 must be at least 1");
    }

    @Test
    void rolloutsUseAllValidAnswersOfTheSet() {
        CallSet set = build(many(10), settings(2000, 0.3));
        Map<String, Sample> gold = new LinkedHashMap<>();
        all(set).forEach(entry -> gold.put(entry.sample().id(), entry.sample()));
        SftRecords records = new SftRecords(
                "sft.jsonl", set.train().stream().map(CallSet.Entry::record).toList());
        PromptExamples prompts = PromptExamples.ofRecords(
                records.requirePrompts(PROMPT),
                new PromptExamples.Answers(set.pool(), gold, true),
                chat,
                new RolloutPromptSettings(1, OutOfPool.ADD, 2000, SftExampleSettings.OverLong.REFUSE, null, 1));
        assertThat(prompts.prompts()).hasSameSizeAs(set.train());
        List<PromptExample> asked = records.prompts(chat, null);
        assertThat(asked.get(0).ids()).isEqualTo(prompts.prompts().get(0).ids());
        assertThat(asked.get(0).form()).isEqualTo(prompts.prompts().get(0).form());
        assertThatThrownBy(() -> records.requirePrompts(PromptSettings.paper()))
                .hasMessageContaining("sft.jsonl: record ")
                .hasMessageContaining("use the same `prompt:` section");
    }
}
