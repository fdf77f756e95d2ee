package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;
import dev.prpf.par.sets.SftExamples.SftExampleSettings.OverLong;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.FakeVisionEncoder;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SftExamplesTest {
    @TempDir
    private static Path directory;

    private static ChatTokenizer chat;
    private static Tokenizer tokenizer;

    private static final Recommendation NOTE = new Recommendation(
            "记下", List.of(new FunctionCall("create_note", Map.of("text", new TextNode("<|im_end|>")))));
    private static final Recommendation TRIP = new Recommendation(
            "订票", List.of(new FunctionCall("book_transport", Map.of()), new FunctionCall("order_food", Map.of())));

    @BeforeAll
    static void write() {
        SmallTokenizer.write(directory);
        chat = PromptProvenance.tokenizer(directory);
        tokenizer = chat.tokenizer();
    }

    @AfterAll
    static void close() {
        chat.close();
    }

    private static Sample sample(String id, @Nullable List<Recommendation> answers) {
        return new Sample(id, 1, null, null, Prompts.CONTEXT, Prompts.TEXT.trajectory(), answers);
    }

    private static PromptSettings prompt(boolean scenes, ReasoningMode reasoning) {
        return new PromptSettings(
                PromptLayout.PREFIX, PromptWording.BRIEF, PoolRendering.NAMES, scenes, reasoning, null);
    }

    private static PromptRenderer renderer(boolean scenes, ReasoningMode reasoning) {
        return new PromptRenderer(prompt(scenes, reasoning), Prompts.CATALOG, Prompts.FAKE_SCREENS);
    }

    private static SftExamples build(List<PerceivedSample> samples, SftExampleSettings settings) {
        boolean scenes = samples.get(0).perception() != null;
        SamplePrompts prompts = Sets.prompts(prompt(scenes, ReasoningMode.NONE), settings);
        return SftExamples.ofSamples(samples, prompts, chat, settings);
    }

    private static SftExamples build(List<PerceivedSample> samples, int shortlist, int maxLength, OverLong overLong) {
        return build(
                samples,
                new SftExampleSettings(
                        shortlist, OutOfPool.ADD, maxLength, overLong, 1, 5, Augmentation.Settings.NONE));
    }

    private static SftExample one(Sample sample, @Nullable Perception perception, int shortlist) {
        return build(List.of(new PerceivedSample(sample, perception)), shortlist, 2000, OverLong.REFUSE)
                .examples()
                .get(0);
    }

    @Test
    void exampleIsThePromptAndTheFirstAnswer() {
        Sample sample = sample("a", List.of(TRIP, NOTE));
        SftExample example = one(sample, Prompts.perception(), 2);
        CandidatePool pool = CandidatePool.ofTop(2, Prompts.perception(), Prompts.POOL, Prompts.CATALOG);
        PromptRenderer renderer = renderer(true, ReasoningMode.NONE);
        assertThat(example.prompt())
                .isEqualTo(chat.prompt(renderer.system(), renderer.user(sample, Prompts.perception(), pool)));
        long[] response = example.response();
        assertThat(response[response.length - 1]).isEqualTo(tokenizer.controlToken("<|im_end|>"));
        assertThat(ResponseParser.parse(
                        tokenizer.decode(Arrays.copyOf(response, response.length - 1)), ResponseForm.BARE))
                .isEqualTo(new ParResponse.Parsed(null, null, null, List.of(TRIP)));
    }

    @Test
    void anExampleShowsItsScreenshotsAsImages(@TempDir Path folder) {
        SmallTokenizer.write(folder, "<|vision_start|>", "<|image_pad|>", "<|vision_end|>");
        PromptSettings pixels = prompt(false, ReasoningMode.NONE).with(ScreenshotForm.PIXELS, 4);
        SftExampleSettings settings =
                new SftExampleSettings(null, OutOfPool.ADD, 2000, OverLong.REFUSE, 1, 5, Augmentation.Settings.NONE);
        Sample sample = new Sample(
                "a",
                1,
                null,
                null,
                Prompts.CONTEXT,
                new Trajectory(List.of(new TraceStep.Screenshot("1x3.png"), new TraceStep.Screenshot("b-2x4.png"))),
                List.of(NOTE));
        try (ChatTokenizer blind = PromptProvenance.tokenizer(folder)) {
            long pad = blind.tokenizer().controlToken("<|image_pad|>");
            ChatTokenizer seeing = blind.seeing(
                    new PromptImageReader(new FakeVisionEncoder(8), Math.toIntExact(pad), new ImageFolder(folder), 4));
            SftExamples built = SftExamples.ofSamples(
                    PerceivedSample.without(List.of(sample)), Sets.prompts(pixels, settings), seeing, settings);
            SftExample example = built.examples().get(0);
            assertThat(example.images())
                    .extracting(VisionImage::grid)
                    .containsExactly(new ImageGrid(1, 3), new ImageGrid(1, 2));
            assertThat(Arrays.stream(example.prompt()).filter(id -> id == pad)).hasSize(5);
            assertThat(built.prompts().prompts().get(0).prompt().shown())
                    .extracting(PromptImage::reduced)
                    .containsExactly(false, true);
            assertThatThrownBy(() -> SftExamples.ofSamples(
                            PerceivedSample.without(List.of(sample)), Sets.prompts(pixels, settings), blind, settings))
                    .hasMessageContaining("the model has no vision encoder");
        }
    }

    @Test
    void targetOutsideOfPerceivedScenariosIsAddedOrOmitted() {
        List<PerceivedSample> samples = Sets.perceived(
                List.of(sample("in", List.of(TRIP)), sample("out", List.of(NOTE)), sample("b", List.of())),
                List.of(Prompts.perception(), Prompts.perception(), Prompts.perception()));
        SftExamples added = build(samples, 2, 2000, OverLong.REFUSE);
        assertThat(added.examples()).hasSize(3);
        assertThat(added.prompts().outOfPool()).isZero();

        SftExampleSettings drop =
                new SftExampleSettings(2, OutOfPool.DROP, 2000, OverLong.REFUSE, 1, 5, Augmentation.Settings.NONE);
        SftExamples left = build(samples, drop);
        assertThat(left.prompts().outOfPool()).isEqualTo(1);
        assertThat(left.prompts().prompts()).extracting(PromptExample::id).containsExactly("in", "b");
        assertThat(left.examples().get(0))
                .usingRecursiveComparison()
                .isEqualTo(added.examples().get(0));
        assertThatThrownBy(() -> build(samples.subList(1, 2), drop))
                .hasMessageContaining("1 have answers outside of their perceived scenarios (examples.out-of-pool)");
    }

    @Test
    void everyExampleHasThePromptOfInference() {
        SftExamples built = build(
                PerceivedSample.without(List.of(sample("a", List.of(TRIP, NOTE)), sample("b", List.of()))),
                2,
                2000,
                OverLong.REFUSE);

        PromptExample prompt = built.prompts().prompts().get(0);
        assertThat(prompt.ids()).isEqualTo(built.examples().get(0).prompt());
        assertThat(prompt.valid()).containsExactly(TRIP.calls(), NOTE.calls());
        assertThat(prompt.form()).isEqualTo(ResponseForm.BARE);
        assertThat(built.prompts().prompts().get(1).intervention()).isFalse();
    }

    @Test
    void silenceIsTheEmptyArrayForAllLabels() {
        for (List<Recommendation> silence :
                List.of(List.<Recommendation>of(), List.of(new Recommendation("", List.of()), NOTE))) {
            assertThat(tokenizer.decode(one(sample("a", silence), null, 1).response()))
                    .isEqualTo("<recommendations>[]</recommendations><|im_end|>");
        }
    }

    @Test
    void epochsShowDifferentFormsOfAnExample() {
        Recommendation search = new Recommendation(
                "去火车站", List.of(new FunctionCall("book_transport", Map.of("to", new TextNode("火车站")))));
        List<PerceivedSample> samples =
                PerceivedSample.without(List.of(sample("a", List.of(search)), sample("b", List.of())));
        Augmentation.Settings dropout = new Augmentation.Settings(0, List.of(1.0), true);
        SftExamples source =
                build(samples, new SftExampleSettings(3, OutOfPool.ADD, 2000, OverLong.REFUSE, 1, 5, dropout));
        IntFunction<List<SftExample>> epochs = source.training(List.of(0, 1));

        assertThat(tokenizer.decode(epochs.apply(0).get(0).prompt()))
                .contains("火车站", "<function>book_transport")
                .doesNotContain("打开地图", "爱吃辣", "create_note");
        assertThat(epochs.apply(0).get(0).response())
                .isEqualTo(source.examples().get(0).response());
        assertThat(tokenizer.decode(epochs.apply(0).get(1).prompt())).doesNotContain("爱吃辣", "create_note");
        assertThat(epochs.apply(1).get(1)).isSameAs(source.examples().get(1));
        assertThat(epochs.apply(1).get(0)).isSameAs(source.examples().get(0));
        assertThat(source.training(List.of(1)).apply(1))
                .containsExactly(source.examples().get(1));
    }

    /** A held-out sample's value in a training prompt would be a leak. */
    @Test
    void valuesOfHeldOutSamplesNeverEnterTrainingPrompts() {
        List<Sample> samples = new ArrayList<>();
        for (String place : List.of("火车站", "图书馆", "体育场", "保密处")) {
            Recommendation go = new Recommendation(
                    "去" + place, List.of(new FunctionCall("book_transport", Map.of("to", new TextNode(place)))));
            samples.add(new Sample(
                    place, 1, null, null, Prompts.CONTEXT, Trajectory.ofTexts(List.of("搜索" + place)), List.of(go)));
        }
        Augmentation.Settings exchange = new Augmentation.Settings(1, List.of(), true);
        SftExamples source = build(
                PerceivedSample.without(samples),
                new SftExampleSettings(3, OutOfPool.ADD, 2000, OverLong.REFUSE, 1, 5, exchange));
        assertThat(shown(source.training(List.of(0, 1, 2, 3)), 40))
                .as("with all four the value does go round")
                .contains("保密处");
        assertThat(shown(source.training(List.of(0, 1, 2)), 40))
                .contains("图书馆", "体育场")
                .doesNotContain("保密处");
    }

    /** All that some epochs show of the first example. */
    private static String shown(IntFunction<List<SftExample>> epochs, int count) {
        return IntStream.range(0, count)
                .mapToObj(epoch -> epochs.apply(epoch).get(0))
                .map(example -> tokenizer.decode(example.prompt()) + tokenizer.decode(example.response()))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void aValueCannotEndTheTurn() {
        long[] response = one(sample("a", List.of(NOTE)), null, 1).response();
        long end = tokenizer.controlToken("<|im_end|>");
        assertThat(Arrays.stream(response).filter(id -> id == end).count()).isEqualTo(1);
    }

    @Test
    void anAddedScenarioReplacesTheLeastProbable() {
        String prompt = tokenizer.decode(
                one(sample("a", List.of(NOTE)), Prompts.perception(), 2).prompt());
        assertThat(prompt)
                .contains("<function>book_transport<function>create_note")
                .containsPattern("<predicted_scenes>(出行办公|办公出行)")
                .doesNotContain("order_food");
        String both = tokenizer.decode(
                one(sample("a", List.of(TRIP)), Prompts.perception(), 1).prompt());
        assertThat(both).contains("book_transport", "order_food").doesNotContain("create_note");
    }

    @Test
    void withoutAPerceiverRandomScenariosJoinTheGold() {
        int withFood = 0;
        for (int i = 0; i < 40; i++) {
            Sample sample = sample("s" + i, List.of(NOTE));
            String prompt = tokenizer.decode(one(sample, null, 2).prompt());
            assertThat(prompt)
                    .contains("create_note")
                    .isEqualTo(tokenizer.decode(one(sample, null, 2).prompt()));
            assertThat(prompt.split("<function>", -1)).hasSize(3);
            withFood += prompt.contains("order_food") ? 1 : 0;
        }
        assertThat(withFood).isBetween(8, 32);
    }

    @Test
    void overLongExamplesAreCountedOrRejected() {
        List<PerceivedSample> samples =
                PerceivedSample.without(List.of(sample("long", List.of(TRIP)), sample("short", List.of())));
        int shorter = one(samples.get(1).sample(), null, 3).length();
        SftExamples built = build(samples, 3, shorter, OverLong.DROP);
        assertThat(built.examples()).hasSize(1);
        assertThat(built.prompts().dropped()).isEqualTo(1);
        assertThat(built.prompts().longest())
                .isEqualTo(one(samples.get(0).sample(), null, 3).length());
        refused(() -> build(samples, 3, shorter, OverLong.REFUSE), 65, "sample long", "max-length = " + shorter);
        refused(() -> build(samples, 3, 10, OverLong.DROP), 65, "no example is left", "2 were longer");
    }

    @Test
    void teacherWritesReasoningExceptForSilence() {
        Recommendation station = new Recommendation(
                "去火车站", List.of(new FunctionCall("book_transport", Map.of("to", new TextNode("火车站")))));
        SftExampleSettings settings = new SftExampleSettings(
                1, OutOfPool.ADD, 4000, OverLong.REFUSE, 1, 1, new Augmentation.Settings(0, List.of(1.0), true));
        SftExamples source = SftExamples.ofSamples(
                PerceivedSample.without(List.of(sample("a", List.of(station)), sample("b", List.of()))),
                Sets.prompts(prompt(false, ReasoningMode.FULL), settings),
                chat,
                settings);

        String response = tokenizer.decode(source.examples().get(0).response()).replace("<|im_end|>", "");
        assertThat(ResponseParser.parse(response, ResponseForm.TEXT))
                .isInstanceOfSatisfying(ParResponse.Parsed.class, parsed -> {
                    assertThat(parsed.recommendations()).containsExactly(station);
                    assertThat(parsed.functionSelection())
                            .contains("候选函数 1 个：book_transport。", "参数 to：“火车站”出自操作记录第 2 步。");
                });
        assertThat(tokenizer.decode(source.examples().get(1).response()))
                .isEqualTo("<recommendations>[]</recommendations><|im_end|>");
        assertThat(tokenizer.decode(source.training(List.of(0)).apply(0).get(0).response()))
                .as("the first step is left out, the rationale speaks of what is left")
                .contains("“火车站”出自操作记录第 1 步");
    }

    @Test
    void unusableSamplesAreRejected() {
        refused(() -> one(sample("u", null), null, 1), 65, "sample u is unlabelled");
        Recommendation unknown = new Recommendation("x", List.of(new FunctionCall("fly", Map.of())));
        refused(() -> one(sample("f", List.of(unknown)), null, 1), 65, "sample f", "fly");
        SftExampleSettings settings =
                new SftExampleSettings(1, OutOfPool.ADD, 100, OverLong.DROP, 1, 1, Augmentation.Settings.NONE);
        refused(
                () -> SftExamples.ofSamples(
                        PerceivedSample.without(List.of(sample("a", List.of()))),
                        Sets.prompts(prompt(true, ReasoningMode.NONE), settings),
                        chat,
                        settings),
                78,
                "prompt.scenes",
                "--gate");
    }

    private static void refused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, int status, String... words) {
        assertThatThrownBy(call)
                .hasMessageContainingAll(words)
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(status);
    }
}
