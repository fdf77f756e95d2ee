package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.sets.PromptExamples.RolloutPromptSettings;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;
import dev.prpf.par.sets.SftExamples.SftExampleSettings.OverLong;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings.Target;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.vision.VisualPrompt;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PromptExamplesTest {
    private static final List<FunctionCall> NOTE = List.of(new FunctionCall("create_note", Map.of()));
    private static final List<FunctionCall> FOOD = List.of(new FunctionCall("order_food", Map.of()));
    private static final RolloutPromptSettings SETTINGS =
            new RolloutPromptSettings(2, OutOfPool.ADD, 1000, OverLong.REFUSE, null, 5);

    @TempDir
    private static Path directory;

    private static ChatTokenizer chat;

    @BeforeAll
    static void write() {
        SmallTokenizer.write(directory);
        chat = PromptProvenance.tokenizer(directory);
    }

    @AfterAll
    static void close() {
        chat.close();
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // handed on, not stored
    private static Sample sample(String id, List<FunctionCall>... answers) {
        List<Recommendation> all = Arrays.stream(answers)
                .map(calls -> new Recommendation(calls.isEmpty() ? "" : "好", calls))
                .toList();
        return new Sample(id, 1, null, null, Prompts.CONTEXT, Prompts.TEXT.trajectory(), all);
    }

    private static PromptSettings prompt(boolean scenes, ReasoningMode reasoning) {
        return new PromptSettings(
                PromptLayout.PREFIX, PromptWording.BRIEF, PoolRendering.NAMES, scenes, reasoning, null);
    }

    private static final PromptSettings BARE = prompt(false, ReasoningMode.NONE);

    private static PromptExamples ofSamples(List<PerceivedSample> samples, RolloutPromptSettings settings) {
        boolean scenes = samples.get(0).perception() != null;
        return PromptExamples.ofSamples(
                samples, Sets.prompts(prompt(scenes, ReasoningMode.NONE), settings), chat, settings);
    }

    private static PromptExamples ofSamples(Sample... samples) {
        return ofSamples(PerceivedSample.without(List.of(samples)), SETTINGS);
    }

    private static SftRecords set(Target target, Sample... samples) {
        SftSetSettings settings = new SftSetSettings(target, null, 2, OutOfPool.ADD, 5);
        return new SftRecords(
                "sft.jsonl",
                Sets.set(BARE, settings, PerceivedSample.without(List.of(samples)))
                        .records());
    }

    private static PromptExamples ofSet(Target target, @Nullable Map<String, Sample> gold, Sample... samples) {
        PromptExamples.Answers answers = new PromptExamples.Answers(Prompts.POOL, gold, true);
        return PromptExamples.ofRecords(set(target, samples), answers, chat, SETTINGS);
    }

    @Test
    void answerOutsideOfPerceivedScenariosIsOmittedIfConfigured() {
        List<PerceivedSample> samples = Sets.perceived(
                List.of(sample("in", FOOD), sample("out", NOTE)), List.of(Prompts.perception(), Prompts.perception()));
        RolloutPromptSettings drop = new RolloutPromptSettings(2, OutOfPool.DROP, 1000, OverLong.REFUSE, null, 5);

        PromptExamples left = ofSamples(samples, drop);

        assertThat(left.prompts()).extracting(PromptExample::id).containsExactly("in");
        assertThat(left.outOfPool()).isEqualTo(1);
        assertThat(ofSamples(samples, SETTINGS).outOfPool()).isZero();
        assertThatThrownBy(() -> ofSamples(samples.subList(1, 2), drop))
                .hasMessageContaining("1 have answers outside of their perceived scenarios (prompts.out-of-pool)");
    }

    @Test
    void promptEqualsSftsAndAllValidAnswersCount() {
        Sample[] samples = {sample("a", NOTE, FOOD), sample("b"), sample("c", List.of(), NOTE)};
        PromptExamples made = ofSamples(samples);
        List<SftExample> shown = SftExamples.ofSamples(
                        PerceivedSample.without(List.of(samples)),
                        Sets.prompts(BARE, SETTINGS),
                        chat,
                        new SftExampleSettings(
                                2, OutOfPool.ADD, 1000, OverLong.REFUSE, 1, 5, Augmentation.Settings.NONE))
                .examples();
        for (int i = 0; i < shown.size(); i++) {
            assertThat(made.prompts().get(i).ids()).isEqualTo(shown.get(i).prompt());
        }
        assertThat(made.prompts()).extracting(PromptExample::id).containsExactly("a", "b", "c");
        assertThat(made.prompts()).extracting(PromptExample::intervention).containsExactly(true, false, true);
        assertThat(made.prompts().get(0).valid()).containsExactly(NOTE, FOOD);
        assertThat(made.prompts().get(1).valid()).containsExactly(List.of());
        assertThat(made.prompts().get(0).form()).isEqualTo(ResponseForm.BARE);
        assertThat(made.prompts().get(0).functions())
                .extracting(FunctionSpec::name)
                .contains("create_note")
                .hasSize(2);
        assertThat(made.dropped()).isZero();
        assertThat(made.longest()).isPositive();
    }

    @Test
    void theFormIsTheSamples() {
        Sample screens = new Sample("s", 1, null, null, Prompts.CONTEXT, Prompts.SCREENS.trajectory(), List.of());
        assertThat(PromptExamples.ofSamples(
                                PerceivedSample.without(List.of(screens, sample("t", NOTE))),
                                Sets.prompts(prompt(false, ReasoningMode.FULL), SETTINGS),
                                chat,
                                SETTINGS)
                        .prompts())
                .extracting(PromptExample::form)
                .containsExactly(ResponseForm.SCREENS, ResponseForm.TEXT);
    }

    @Test
    void theSceneComesFromThePerceiver() {
        Sample sample = sample("a", FOOD);
        PromptExamples made = ofSamples(List.of(new PerceivedSample(sample, Prompts.perception())), SETTINGS);
        assertThat(made.prompts().get(0).functions())
                .extracting(FunctionSpec::name)
                .containsExactlyInAnyOrder("book_transport", "order_food");
        refused(
                () -> PromptExamples.ofSamples(
                        PerceivedSample.without(List.of(sample)),
                        Sets.prompts(prompt(true, ReasoningMode.NONE), SETTINGS),
                        chat,
                        SETTINGS),
                78,
                "prompt.scenes = true, but no perceiver ran");
    }

    @Test
    void targetsOfASetAreValidAnswersWithoutGold() {
        Sample both = sample("a", NOTE, FOOD);
        assertThat(ofSet(Target.FIRST, null, both, sample("b")).prompts())
                .extracting(PromptExample::valid)
                .containsExactly(List.of(NOTE), List.of(List.of()));
        PromptExamples all = ofSet(Target.ALL, null, both);
        assertThat(all.prompts()).hasSize(1);
        assertThat(all.prompts().get(0).valid()).containsExactly(NOTE, FOOD);
        assertThat(ofSet(Target.FIRST, Map.of("a", both), both).prompts().get(0).valid())
                .containsExactly(NOTE, FOOD);
        refused(
                () -> ofSet(Target.FIRST, Map.of("a", both), both, sample("b")),
                65,
                "sft.jsonl: record b has no sample in the gold file");
    }

    @Test
    void changedPoolIsReported() {
        PromptExamples.Answers without = new PromptExamples.Answers(new FunctionPool(List.of()), null, false);
        SftRecords set = set(Target.FIRST, sample("a", NOTE));
        refused(
                () -> PromptExamples.ofRecords(set, without, chat, SETTINGS),
                65,
                "sft.jsonl: record a: its target calls create_note, which the pool does not have");
        refused(
                () -> set.prompts(chat, without.pool()),
                65,
                "sft.jsonl: record a: its prompt shows ",
                "which the pool does not have");
    }

    @Test
    void aSetGivesTheSamplesPrompts() {
        Sample[] samples = {sample("a", NOTE), sample("b"), sample("c", FOOD, NOTE)};
        List<PromptExample> ofSamples = ofSamples(samples).prompts();
        List<PromptExample> ofSet = ofSet(Target.FIRST, null, samples).prompts();
        for (int i = 0; i < samples.length; i++) {
            assertThat(ofSet.get(i).ids()).isEqualTo(ofSamples.get(i).ids());
            assertThat(ofSet.get(i).form()).isEqualTo(ofSamples.get(i).form());
            assertThat(ofSet.get(i).functions()).isEqualTo(ofSamples.get(i).functions());
        }
    }

    @Test
    void aSetOfOtherPromptsIsRefused() {
        refused(
                () -> set(Target.FIRST, sample("a", NOTE)).requirePrompts(prompt(false, ReasoningMode.FULL)),
                78,
                "sft.jsonl: record a: its prompt is written as",
                "reasoning=FULL",
                "make the set again");
    }

    @Test
    void overLongPromptsAreRefusedOrDroppedAndCounted() {
        List<PerceivedSample> samples = PerceivedSample.without(List.of(sample("a", NOTE), sample("b")));
        int length = ofSamples(samples, SETTINGS).longest();
        RolloutPromptSettings refuse =
                new RolloutPromptSettings(2, OutOfPool.ADD, length - 1, OverLong.REFUSE, null, 5);
        refused(
                () -> ofSamples(samples, refuse),
                65,
                "its prompt has",
                "prompts.max-length = " + (length - 1),
                "set prompts.over-long to drop");
        PromptImage large = new PromptImage(
                "s/1.png", new VisionImage(ImageFile.of(Path.of("1.png")), "k", new ImageGrid(30, 85)), false);
        PromptExample showsImages = new PromptExample(
                "b", new VisualPrompt(new long[2600], List.of(large)), List.of(List.of()), ResponseForm.ANY, List.of());
        refused(
                () -> new RolloutPromptSettings(2, OutOfPool.ADD, 2549, OverLong.REFUSE, null, 5)
                        .fitting(List.of(showsImages)),
                65,
                "sample b: its image s/1.png has 2550 tokens, prompts.max-length = 2549; lower"
                        + " prompt.max-visual-tokens");
        RolloutPromptSettings none = new RolloutPromptSettings(2, OutOfPool.ADD, 1, OverLong.DROP, null, 5);
        refused(() -> ofSamples(samples, none), 65, "no prompt is left of 2 samples: 2 were longer");
        RolloutPromptSettings all = new RolloutPromptSettings(2, OutOfPool.ADD, length, OverLong.DROP, null, 5);
        assertThat(ofSamples(samples, all).dropped()).isZero();
    }

    @Test
    void unrewardableSamplesAreRejected() {
        refused(() -> ofSamples(sample("a", NOTE), sample("a", FOOD)), 65, "sample a is a duplicate");
        refused(() -> ofSamples(Prompts.TEXT), 65, "sample t1 is unlabelled");
        refused(() -> ofSamples(sample("a", List.of(new FunctionCall("gone", Map.of())))), 65, "its answer calls gone");
    }

    @Test
    void limitDrawsSamplesInOrder() {
        List<Integer> all = IntStream.range(0, 50).boxed().toList();
        RolloutPromptSettings few = new RolloutPromptSettings(2, OutOfPool.ADD, 9, OverLong.DROP, 7, 5);
        assertThat(few.drawn(all))
                .hasSize(7)
                .isSorted()
                .isEqualTo(few.drawn(all))
                .isNotEqualTo(all.subList(0, 7));
        assertThat(new RolloutPromptSettings(2, OutOfPool.ADD, 9, OverLong.DROP, 7, 6).drawn(all))
                .isNotEqualTo(few.drawn(all));
        assertThat(few.drawn(Collections.nCopies(7, 1))).hasSize(7);
        assertThat(SETTINGS.drawn(all)).isEqualTo(all);
        assertThatThrownBy(() -> new RolloutPromptSettings(2, OutOfPool.ADD, 9, OverLong.DROP, 0, 5))
                .hasMessage("limit = 0 must be at least 1");
        assertThatThrownBy(() -> new RolloutPromptSettings(0, OutOfPool.ADD, 9, OverLong.DROP, null, 5))
                .hasMessage("shortlist = 0 must be at least 1, or null for the whole pool");
    }

    private static void refused(ThrowingCallable call, int status, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PrpfException.class,
                        refused -> assertThat(ExitCode.of(refused).status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }
}
