package dev.prpf.par.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.data.Language;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.par.cascade.RemoteReasoner.RemoteSettings.StructuredOutput;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatModel;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.RemoteUsage.TokenPrice;
import dev.prpf.par.pipeline.Pipeline.Model;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DraftingTest {
    private static final int SEEDS = 17; // three records each
    private static final double WRONG = 0.3;
    private static final ScenarioCatalog SCENARIOS = ScenarioCatalogReader.of(FunctionPoolFile.shippedEnglish(), null);
    private static final SamplingSettings SAMPLING =
            new SamplingSettings(0, 1, 100, 1L, JsonNodeFactory.instance.objectNode());
    private static final List<String> MODELS = List.of("author", "checker", "a", "b", "c", "d", "editor");

    @TempDir
    private Path folder;

    private static DataGenerateCommand.Config config(String... overrides) {
        List<String> all = new ArrayList<>(List.of(
                "models.authors=[a]", "models.checker=b", "models.candidates=[c]", "models.editor=d", "support=3"));
        all.addAll(List.of(overrides));
        return StrictYaml.readText("test", "{}", DataGenerateCommand.Config.class, all);
    }

    private static List<Seed> seeds() {
        List<String> scenarios = ScenarioCatalogReader.shipped().names();
        return IntStream.range(0, SEEDS)
                .mapToObj(i -> new Seed("seed" + i, scenarios.get(i % scenarios.size()), "KEY " + (i + 1), null))
                .toList();
    }

    private List<Model> models(String run, UnaryOperator<ChatModel> wrapped) {
        return MODELS.stream()
                .map(name -> new Model(
                        wrapped.apply(new KeyedModel(name, WRONG)),
                        new AnswerJournal(folder.resolve(run + name + ".jsonl")),
                        SAMPLING,
                        StructuredOutput.NONE,
                        new TokenPrice(1, 2)))
                .toList();
    }

    private static Drafting.Roles roles(List<Model> models) {
        return new Drafting.Roles(models.subList(0, 1), models.get(1), models.subList(2, 6), models.get(6));
    }

    private static List<Draft> generate(Pipeline pipeline, List<Model> models, DataGenerateCommand.Config config) {
        return new Drafting(pipeline, roles(models), config, FunctionPoolFile.shippedEnglish())
                .run(seeds(), new ImageFolder((Path) null));
    }

    private record Outcome(List<Draft> drafts, Pipeline pipeline, String bytes) {}

    private Outcome run(String run, DataGenerateCommand.Config config, UnaryOperator<ChatModel> wrapped) {
        List<Model> models = models(run, wrapped);
        try (Pipeline pipeline = new Pipeline(models, Language.EN, config.retries(), config.budget())) {
            List<Draft> drafts = generate(pipeline, models, config);
            Selection selection = new Selection(pipeline, config, SCENARIOS);
            drafts = selection.balanced(selection.distinct(drafts));
            String bytes = String.join(
                    "\n",
                    drafts.stream()
                            .map(draft -> SampleWriter.line(draft.sample("train", draft.seed.scenario(), " ")))
                            .toList());
            return new Outcome(drafts, pipeline, bytes);
        }
    }

    private static int keyOf(Draft draft) {
        return Integer.parseInt(draft.seed.text().substring("KEY ".length()));
    }

    private static boolean isRight(Draft draft, Recommendation answer) {
        return answer.calls().equals(List.of(KeyedModel.callOf(keyOf(draft))));
    }

    /** Precision and recall, in percent. */
    private record Quality(long right, long kept, long wanted) {
        double precision() {
            return 100.0 * right / kept;
        }

        double recall() {
            return 100.0 * right / wanted;
        }
    }

    /** Compares pairs of candidates in one group with pairs of one key. */
    private static Quality grouping(List<Draft> drafts) {
        long right = 0;
        long kept = 0;
        long wanted = 0;
        for (Draft draft : drafts) {
            int[] group = new int[draft.candidates.size()];
            for (int g = 0; g < draft.groups.size(); g++) {
                for (int number : draft.groups.get(g)) {
                    group[number - 1] = g;
                }
            }
            for (int i = 0; i < group.length; i++) {
                for (int k = 0; k < i; k++) {
                    boolean same = draft.candidates.get(i).equals(draft.candidates.get(k));
                    right += same && group[i] == group[k] ? 1 : 0;
                    kept += group[i] == group[k] ? 1 : 0;
                    wanted += same ? 1 : 0;
                }
            }
        }
        return new Quality(right, kept, wanted);
    }

    /** The answers of records against their keys; keeping all candidates has the precision of one candidate, and dropping all no recall. */
    private static Quality answers(List<Draft> drafts) {
        long right = drafts.stream()
                .filter(draft -> draft.answers().stream().anyMatch(answer -> isRight(draft, answer)))
                .count();
        long kept = drafts.stream().mapToLong(draft -> draft.answers().size()).sum();
        return new Quality(right, kept, SEEDS * 3L);
    }

    @Test
    void hiddenKeysAreFoundAmongWrongCandidates() {
        Outcome outcome = run("", config(), model -> model);
        Quality grouping = grouping(outcome.drafts());
        assertThat(grouping.precision()).as("%s", grouping).isBetween(90.0, 99.9);
        assertThat(grouping.recall()).as("%s", grouping).isBetween(90.0, 99.9);
        Quality answers = answers(outcome.drafts());
        assertThat(answers.precision()).as("%s", answers).isGreaterThan(90);
        assertThat(answers.recall()).as("%s", answers).isGreaterThan(60);
        long right = outcome.drafts().stream()
                .flatMap(draft ->
                        draft.candidates.stream().filter(text -> text.equals("help with task " + keyOf(draft))))
                .count();
        long all = outcome.drafts().stream()
                .mapToLong(draft -> draft.candidates.size())
                .sum();
        assertThat(100.0 * right / all)
                .as("a pipeline that keeps every candidate")
                .isBetween(60.0, 80.0);
    }

    @Test
    void noiseIsFiveToTwentyTimesTheTextAndBeforeTheLastStep() {
        for (Draft draft : run("", config(), model -> model).drafts()) {
            double factor = draft.noiseLength() / (double) draft.length();
            assertThat(factor).as(draft.id).isBetween(5.0, 20.0);
            Sample sample = draft.sample("train", draft.seed.scenario(), " ");
            List<String> steps = sample.trajectory().texts();
            assertThat(steps.get(steps.size() - 1)).contains("KEY " + keyOf(draft));
            assertThat(steps).hasSizeGreaterThan(2);
            TraceRules.check(steps);
        }
    }

    @Test
    void equalRunsGiveEqualBytesAndARunThatWasKilledAsksNothingAnsweredTwice() {
        Outcome whole = run("whole", config(), model -> model);
        assertThat(run("again", config(), model -> model).bytes()).isEqualTo(whole.bytes());
        List<String> asked = new ArrayList<>();
        int kills = 0;
        Outcome resumed = null;
        while (resumed == null) {
            int[] left = {22};
            try {
                resumed = run("killed", config(), model -> new Dying(model, asked, left));
            } catch (IllegalStateException e) {
                kills++;
            }
        }
        assertThat(kills).isGreaterThanOrEqualTo(20);
        assertThat(resumed.bytes()).isEqualTo(whole.bytes());
        assertThat(new HashSet<>(asked)).as("no answered request twice").hasSameSizeAs(asked);
        assertThat(resumed.pipeline().counts()).isEqualTo(whole.pipeline().counts());
    }

    /** Fails after a number of answers, as a killed process would. */
    private record Dying(ChatModel inner, List<String> asked, int[] left) implements ChatModel {
        @Override
        public String model() {
            return inner.model();
        }

        @Override
        public void ask(List<ChatRequest> requests, Listener listener) {
            inner.ask(requests, (i, outcome) -> {
                if (left[0]-- == 0) {
                    throw new IllegalStateException("killed");
                }
                listener.came(i, outcome);
                asked.add(requests.get(i).id() + requests.get(i).body(inner.model()));
            });
        }

        @Override
        public void close() {}
    }

    @Test
    void aBudgetEndsTheRunWith75AndAHigherOneResumesIt() {
        assertThatThrownBy(() -> run("b", config("budget.answers=0"), model -> model))
                .isInstanceOf(RunInterruptedException.class)
                .hasMessageContaining("step situation: 0 of 0 answers");
        assertThatThrownBy(() -> run("b", config("budget.answers=100"), model -> model))
                .isInstanceOf(RunInterruptedException.class)
                .hasMessageContaining("100 of 100 answers");
        assertThatThrownBy(() -> run("c", config("budget.cost=0.01"), model -> model))
                .isInstanceOf(RunInterruptedException.class)
                .hasMessageContaining("cost 0.01");
        assertThat(run("b", config(), model -> model).drafts()).isNotEmpty();
    }

    /** Answers each question of one step with a text. */
    private record Stubborn(ChatModel inner, String step, String text) implements ChatModel {
        @Override
        public String model() {
            return inner.model();
        }

        @Override
        public void ask(List<ChatRequest> requests, Listener listener) {
            inner.ask(
                    requests,
                    (i, outcome) -> listener.came(
                            i,
                            requests.get(i).id().endsWith("#" + step)
                                    ? new ChatOutcome.Answer(
                                            text.replace(
                                                    "ITEM", requests.get(i).id().split("#", -1)[0]),
                                            "stop",
                                            1,
                                            1)
                                    : outcome));
        }

        @Override
        public void close() {}
    }

    private void assertDropped(String step, String answer, String reason) {
        Outcome outcome =
                run(step + answer.hashCode(), config("retries=1"), model -> new Stubborn(model, step, answer));
        assertThat(outcome.drafts()).isEmpty();
        assertThat(outcome.pipeline().dropped())
                .filteredOn(item -> item.step().equals(step))
                .isNotEmpty()
                .allSatisfy(item -> assertThat(item.reason()).contains(reason));
    }

    @Test
    void invalidAnswersAreSentBackThenDroppedWithTheReason() {
        assertDropped("situation", "{\"item\": \"ITEM\", \"situation\": null}", "situation = null, must have a value");
        assertDropped("needs", "{\"item\": \"ITEM\", \"data\": [null]}", " = null, must have a value");
        assertDropped("group", "{\"item\": \"ITEM\", \"groups\": [null]}", " = null, must have a value");
        assertDropped("situation", "{\"item\": \"ITEM\", \"situation\": \"cut", "not one JSON object");
        assertDropped("situation", "{\"item\": \"other\", \"situation\": \"x\"}", "must be \"seed");
        assertDropped("situation", "{\"item\": \"ITEM\", \"situation\": \" \"}", "\"situation\" is empty");
        assertDropped(
                "situation",
                "{\"item\": \"ITEM\", \"situation\": \"用户在手机上收到了一条关于火车票的消息，正在查看路线和时间安排\"}",
                "must be in English");
        assertDropped("plausible", "{\"item\": \"ITEM\", \"plausible\": false, \"reason\": \"no\"}", "implausible: no");
        assertDropped("group", "{\"item\": \"ITEM\", \"groups\": [[1]]}", "each of 1 to 20 once");
        assertDropped(
                "context",
                "{\"item\": \"ITEM\", \"profile\": \"p\", \"phone\": \"p\", \"world\": \"w\", \"trace\": [\"The user is sad\"]}",
                "must begin with an action");
    }

    @Test
    void invalidCallsAndToldAnswersLeaveNoRecord() {
        String unknown = "{\"item\": \"ITEM\", \"calls\": [{\"name\": \"fly\", \"parameters\": {}}]}";
        Outcome none = run("fly", config("retries=0"), model -> new Stubborn(model, "map", unknown));
        assertThat(none.drafts()).isEmpty();
        assertThat(none.pipeline().dropped())
                .anySatisfy(item -> assertThat(item.reason()).contains("fly/name is not a function of the pool"));
        String told = "{\"item\": \"ITEM\", \"reasoning\": \"so\", \"instruction\": \"Tap the message\"}";
        Outcome leak = run("told", config(), model -> new Stubborn(model, "reason", told));
        assertThat(leak.drafts()).isEmpty();
        assertThat(leak.pipeline().dropped())
                .anySatisfy(item -> assertThat(item.reason()).contains("recommendation is in its own trace"));
    }

    @Test
    void aFencedAnswerIsReadAndASilentIntentNeedsNoCall() {
        String silent = "```json\n{\"item\": \"ITEM\", \"intents\": [\"-\", \"-\", \"-\", \"-\", \"-\"]}\n```";
        Outcome outcome = run("silent", config(), model -> new Stubborn(model, "intents", silent));
        assertThat(outcome.drafts()).isNotEmpty().allSatisfy(draft -> assertThat(draft.answers())
                .isEmpty());
        assertThat(outcome.pipeline().counts()).containsKey("reason").doesNotContainKey("map");
    }

    @Test
    void tracesHaveActionsInTheOrderOfTimes() {
        TraceRules.check(List.of("09:41 Tap 'Send'", "[09:41:30] 点击发送", "Swipe left"));
        assertThatThrownBy(() -> TraceRules.check(List.of("09:41 Tap 'Send'", "9:40 Tap 'Back'")))
                .hasMessage("step 2 is at 09:40, before 09:41");
        assertThat(TraceRules.place(
                        Trajectory.ofTexts(List.of("9:40 Tap", "9:50 Tap")).steps(), "9:45 Open"))
                .isEqualTo(1);
        assertThat(TraceRules.tells(
                        List.of("Tap 'Book a taxi!'"), List.of(new Recommendation("Book a taxi", List.of()))))
                .isTrue();
    }

    @Test
    void dropped_hasNoKeptRecordAndNoneTwice() {
        Outcome whole = run("once", config(), model -> model);
        assertThat(whole.pipeline().dropped())
                .extracting("item")
                .isNotEmpty()
                .doesNotHaveDuplicates()
                .doesNotContainAnyElementsOf(
                        whole.drafts().stream().map(draft -> draft.id).toList());
        String few = "{\"item\": \"ITEM\", \"intents\": [\"a\"]}"; // of one model, while the others answer
        Outcome outcome = run(
                "few",
                config("retries=0"),
                model -> model.model().equals("a") ? new Stubborn(model, "intents", few) : model);
        assertThat(outcome.drafts()).isNotEmpty();
        assertThat(outcome.pipeline().dropped()).extracting("step").doesNotContain("intents");
    }

    @Test
    void aGroupOfSilenceAndATaskIsSentBack() {
        String mixed = "{\"item\": \"ITEM\", \"groups\": ["
                + IntStream.rangeClosed(1, 20).boxed().toList() + "]}";
        String silent = "{\"item\": \"ITEM\", \"intents\": [\"- \", \"go\", \"go\", \"go\", \"go\"]}";
        Outcome outcome = run(
                "mixed",
                config("retries=0"),
                model -> new Stubborn(new Stubborn(model, "intents", silent), "group", mixed));
        assertThat(outcome.pipeline().dropped())
                .anySatisfy(item -> assertThat(item.reason()).contains("holds \"-\" and a task"));
    }

    @Test
    void splitsNeverShareASeedAndScenariosAreBalanced() {
        Outcome outcome = run("", config(), model -> model);
        Selection selection = new Selection(outcome.pipeline(), config("test-share=0.4", "balance=1"), SCENARIOS);
        assertThat(selection.testSeeds(outcome.drafts())).hasSizeBetween(5, 7);
        Map<String, Long> counts = selection.balanced(outcome.drafts()).stream()
                .collect(Collectors.groupingBy(draft -> draft.scenario(SCENARIOS), Collectors.counting()));
        assertThat(new HashSet<>(counts.values())).as("%s", counts).hasSize(1);
        assertThat(counts).hasSizeGreaterThan(2);
    }

    @Test
    void draftsWithNearlyTheSameTextAreDropped() {
        Outcome outcome = run("", config(), model -> model);
        List<Draft> twice = new ArrayList<>(outcome.drafts());
        twice.addAll(outcome.drafts());
        Selection selection = new Selection(outcome.pipeline(), config(), SCENARIOS);
        assertThat(selection.distinct(twice)).isEqualTo(outcome.drafts());
    }

    private static @Nullable String refusal(Runnable run) {
        try {
            run.run();
            return null;
        } catch (RuntimeException e) {
            return e.getMessage();
        }
    }

    @Test
    void dataLeaveThisMachineOnlyWithConsent() throws IOException {
        Path file = Files.writeString(
                folder.resolve("m.yaml"),
                "server: {urls: ['https://models.example/v1', 'http://127.0.0.1:1/v1']}\nreasoner: {model: m}\n");
        OpenedModels models = new OpenedModels(List.of(file));
        assertThat(refusal(() -> models.requireConsent(false, "seeds")))
                .isEqualTo("this sends seeds to https://models.example/v1; give --yes, or consent: true in the"
                        + " configuration, if you agree");
        assertThat(refusal(() -> models.requireConsent(true, "seeds"))).isNull();
        Path other = Files.copy(file, folder.resolve("n.yaml"));
        assertThat(refusal(() -> new OpenedModels(List.of(file, other)))).contains("both name the model m");
    }
}
