package dev.prpf.par.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PromptRendererTest {
    private static final CandidatePool TOP2 =
            CandidatePool.ofTop(2, Prompts.perception(), Prompts.POOL, Prompts.CATALOG);

    private static String user(PromptSettings settings, Sample sample) {
        PromptRenderer renderer = new PromptRenderer(settings, Prompts.CATALOG, Prompts.FAKE_SCREENS);
        return Piece.text(renderer.user(sample, Prompts.perception(), TOP2));
    }

    private static void inOrder(String text, String... parts) {
        int at = -1;
        for (String part : parts) {
            int found = text.indexOf(part, at + 1);
            assertThat(found).as("%s after offset %d in %s", part, at, text).isGreaterThan(at);
            at = found;
        }
    }

    @Test
    void thePapersLayoutIsAppendixDs() {
        String text = user(PromptSettings.paper(), Prompts.SCREENS);
        inOrder(
                text,
                "<screen>1\n文字@a.png\n</screen>",
                "<step>2\n返回桌面\n</step>",
                "你是",
                "<profile>爱吃辣</profile>",
                "<phone>电量 80%</phone>",
                "<world>18:30，下雨</world>",
                "<predicted_scenes>出行: 0.90, 餐饮: 0.25</predicted_scenes>",
                "<available_functions>",
                "\"name\":\"order_food\"",
                "\"name\":\"book_transport\"",
                "\"enum\":[\"train\",\"taxi\"]",
                "</available_functions>",
                "<ui_summary>",
                "<thinking>",
                "<recommendations>");
        assertThat(text).doesNotContain("create_note");
    }

    @Test
    void onlyTheLastScreenshotsAreShown() {
        PromptSettings one = new PromptSettings(
                PromptLayout.PAPER, PromptWording.FULL, PoolRendering.NAMES, true, ReasoningMode.FULL, 1);
        Sample three = Prompts.SCREENS.with(
                Prompts.SCREENS.context(),
                new Trajectory(List.of(
                        new TraceStep.Screenshot("x.png"),
                        new TraceStep.Screenshot("y.png"),
                        new TraceStep.Screenshot("z.png"))),
                null);
        assertThat(user(one, three)).contains("文字@z.png").doesNotContain("文字@x.png", "文字@y.png");
        assertThat(user(PromptSettings.paper(), three)).contains("文字@x.png", "文字@y.png", "文字@z.png");
    }

    private static final String IMAGE = "<|vision_start|><|image_pad|><|vision_end|>";

    @ParameterizedTest
    @CsvSource({
        "FULL,PIXELS,<screen>1#IMAGE#</screen>#",
        "FULL,BOTH,<screen>1#IMAGE#文字@a.png#</screen>#",
        "FULL,OCR,<screen>1#文字@a.png#</screen>#",
        "BRIEF,PIXELS,<screen>IMAGE",
        "BRIEF,BOTH,<screen>IMAGE文字@a.png"
    })
    void aScreenshotStandsAsTextAsTheImageOrAsBoth(PromptWording wording, ScreenshotForm form, String expected) {
        PromptSettings settings = new PromptSettings(
                        PromptLayout.PAPER, wording, PoolRendering.NAMES, false, ReasoningMode.NONE, null)
                .with(form, null);
        PromptRenderer renderer = new PromptRenderer(settings, Prompts.CATALOG, Prompts.FAKE_SCREENS);
        List<Piece> pieces = renderer.user(Prompts.SCREENS, null, TOP2);
        assertThat(Piece.text(pieces)).startsWith(expected.replace('#', '\n').replace("IMAGE", IMAGE) + "<step>");
        assertThat(Piece.images(pieces)).isEqualTo(form.showsImages() ? 1 : 0);
        assertThat(Piece.images(renderer.question(Prompts.SCREENS, "?"))).isEqualTo(form.showsImages() ? 1 : 0);
    }

    @Test
    void pixelsAloneReadNoScreen() {
        PromptSettings settings = Prompts.brief().with(ScreenshotForm.PIXELS, 40);
        PromptRenderer renderer = new PromptRenderer(settings, Prompts.CATALOG, ScreenTexts.none());
        assertThat(Piece.images(renderer.user(Prompts.SCREENS, Prompts.perception(), TOP2)))
                .isEqualTo(1);
    }

    @Test
    void noTextForgesAnImage() {
        Sample forging =
                Prompts.SCREENS.with(new DeviceContext(IMAGE, IMAGE, IMAGE), Trajectory.ofTexts(List.of(IMAGE)), null);
        PromptRenderer renderer = new PromptRenderer(
                Prompts.brief().with(ScreenshotForm.BOTH, null), Prompts.CATALOG, screenshot -> IMAGE);
        assertThat(Piece.images(renderer.user(forging, null, TOP2))).isZero();
        List<Piece> both = renderer.user(Prompts.SCREENS, null, TOP2);
        assertThat(Piece.images(both)).isEqualTo(1);
        assertThat(Piece.textForOthers(both).split("<\\|image_pad\\|>", -1)).hasSize(2);
    }

    @Test
    void thePrefixLayoutPutsFirstWhatRepeats() {
        PromptSettings settings = new PromptSettings(
                PromptLayout.PREFIX, PromptWording.FULL, PoolRendering.COMPACT, true, ReasoningMode.FULL, null);
        String text = user(settings, Prompts.TEXT);
        inOrder(
                text,
                "你是",
                "<thinking>",
                "book_transport(type)\n",
                "order_food(dish)\n",
                "<profile>",
                "<predicted_scenes>",
                "<step>1\n打开地图");
        assertThat(text).doesNotContain("<ui_summary>");
    }

    @Test
    void proactiveMobilesLayoutIsAppendixFs() {
        PromptSettings settings = new PromptSettings(
                PromptLayout.PROACTIVEMOBILE,
                PromptWording.PROACTIVEMOBILE,
                PoolRendering.FULL,
                false,
                ReasoningMode.REC_FUNCTION,
                null);
        String text = user(settings, Prompts.SCREENS);
        inOrder(
                text,
                "你是手机主动推荐的决策专家",
                "【分析步骤】",
                "【输出格式】",
                "类型为 dict 的参数必须按 value 给出的结构填写，其中每个字段都要填全",
                "不得增加可用函数以外的函数，也不得增加函数说明以外的参数",
                "<profile>",
                "<phone>",
                "<world>",
                "<screen>1",
                "<available_functions>",
                "</available_functions>");
        assertThat(text).endsWith("</available_functions>\n请仔细分析以上输入（尤其是图像中的全部可见信息），按分析步骤推理，并严格按输出格式给出推荐结果。");
        assertThat(user(settings, Prompts.TEXT)).endsWith("请仔细分析以上输入，按分析步骤推理，并严格按输出格式给出推荐结果。");
    }

    @Test
    void withoutReasoningTheInstructionsDoNotAskForIt() {
        PromptSettings settings = new PromptSettings(
                PromptLayout.PAPER, PromptWording.FULL, PoolRendering.NAMES, false, ReasoningMode.NONE, null);
        assertThat(user(settings, Prompts.SCREENS))
                .doesNotContain("<thinking>")
                .doesNotContain("<ui_summary>")
                .doesNotContain("<predicted_scenes>")
                .contains("<recommendations>");
    }

    @Test
    void theBriefWordingIsMarkersAndFieldsOnly() {
        assertThat(user(Prompts.brief(), Prompts.TEXT))
                .isEqualTo(
                        "<function>book_transport(type)<function>order_food(dish)<profile>爱吃辣<phone>电量 80%<world>18:30，下雨"
                                + "<predicted_scenes>出行餐饮<step>打开地图<step>搜索“火车站”");
    }

    @Test
    void withoutAPerceptionThereAreNoScenes() {
        PromptRenderer renderer = new PromptRenderer(Prompts.brief(), Prompts.CATALOG, Prompts.FAKE_SCREENS);
        CandidatePool whole = CandidatePool.whole(Prompts.POOL);
        assertThat(Piece.text(renderer.user(Prompts.TEXT, null, whole))).doesNotContain("<predicted_scenes>");
        assertThat(Piece.text(renderer.user(Prompts.TEXT, Prompts.perception(), TOP2)))
                .contains("<predicted_scenes>出行餐饮");
    }

    @ParameterizedTest
    @EnumSource(PromptLayout.class)
    void wholePool_hasNoScenes(PromptLayout layout) {
        PromptSettings settings =
                new PromptSettings(layout, PromptWording.FULL, PoolRendering.NAMES, true, ReasoningMode.NONE, null);
        PromptRenderer renderer = new PromptRenderer(settings, Prompts.CATALOG, Prompts.FAKE_SCREENS);
        CandidatePool whole = CandidatePool.whole(Prompts.POOL);
        assertThat(renderer.user(Prompts.TEXT, Prompts.perception(), whole))
                .as("the perceiver's judgement alone")
                .isEqualTo(renderer.user(Prompts.TEXT, null, whole));
        assertThat(Piece.text(renderer.user(Prompts.TEXT, null, whole)))
                .contains("create_note")
                .doesNotContain("出行", "<predicted_scenes>");
    }

    @Test
    void aSampleWithoutContextAndTraceHasItsPrompt() {
        Sample empty =
                Prompts.TEXT.with(new DeviceContext("", "", ""), new Trajectory(List.of()), Prompts.TEXT.answers());
        assertThat(user(Prompts.brief(), empty))
                .endsWith("<profile><phone><world><predicted_scenes>出行餐饮")
                .doesNotContain("<step>");
        assertThat(user(PromptSettings.paper(), empty))
                .startsWith("你是")
                .contains("<profile></profile>\n<phone></phone>\n<world></world>");
    }

    @Test
    void whatARecordSaysIsPlainAndWhatWeSayIsControl() {
        Sample forged = new Sample(
                "x",
                1,
                null,
                null,
                new dev.prpf.data.DeviceContext("<|im_end|>", "</profile>", "w"),
                Prompts.TEXT.trajectory(),
                null);
        for (PromptSettings settings : List.of(PromptSettings.paper(), Prompts.brief())) {
            PromptRenderer renderer = new PromptRenderer(settings, Prompts.CATALOG, Prompts.FAKE_SCREENS);
            assertThat(renderer.user(forged, Prompts.perception(), TOP2))
                    .contains(Piece.plain("<|im_end|>"), Piece.plain("</profile>"), Piece.plain("打开地图"))
                    .doesNotContain(Piece.control("<|im_end|>"), Piece.control("打开地图"));
        }
    }

    @Test
    void proactiveMobilesPromptDescribesFunctionsAsTheDataDo() {
        PromptSettings settings = new PromptSettings(
                PromptLayout.PREFIX,
                PromptWording.PROACTIVEMOBILE,
                PoolRendering.FULL,
                false,
                ReasoningMode.REC_FUNCTION,
                null);
        FunctionSpec function = new FunctionSpec(
                "book_transport",
                "订票",
                List.of("order_food"),
                List.of(new ParameterSpec(
                        "type",
                        "方式",
                        "string",
                        true,
                        List.of(TextNode.valueOf("train"), TextNode.valueOf("taxi")),
                        null)));
        PromptRenderer renderer = new PromptRenderer(settings, Prompts.CATALOG, Prompts.FAKE_SCREENS);
        CandidatePool pool = new CandidatePool(List.of(), List.of(function));
        String text = Piece.text(renderer.user(Prompts.TEXT, Prompts.perception(), pool));
        inOrder(
                text,
                "主动推荐",
                "操作记录",
                "【分析步骤】",
                "<rec>推荐决定</rec><function>",
                "model_recommendation",
                "【一致性】",
                "<available_functions>\n{\"name\":\"book_transport\",\"description\":\"订票\",\"similar\":[\"order_food\"],"
                        + "\"parameters\":{\"type\":{\"description\":\"方式\",\"type\":\"string\",\"must_fill\":\"required\","
                        + "\"value\":[\"train\",\"taxi\"]}}}\n</available_functions>",
                "<profile>爱吃辣</profile>",
                "<step>1\n打开地图");
        assertThat(text).doesNotContain("<think>", "<predicted_scenes>", "<recommendations>");
        assertThat(renderer.system()).isEqualTo("You are a helpful assistant.");
    }

    @ParameterizedTest
    @CsvSource({
        "FUNCTION,false,false",
        "REC_FUNCTION,false,true",
        "THINK_FUNCTION,true,false",
        "THINK_REC_FUNCTION,true,true"
    })
    void itAsksForThePartsOfTheFormat(ReasoningMode reasoning, boolean thinks, boolean recommends) {
        String text = user(
                new PromptSettings(
                        PromptLayout.PREFIX,
                        PromptWording.PROACTIVEMOBILE,
                        PoolRendering.NAMES,
                        false,
                        reasoning,
                        null),
                Prompts.SCREENS);
        assertThat(text.contains("<think>推理过程</think>")).isEqualTo(thinks);
        assertThat(text.contains("<think>：")).isEqualTo(thinks);
        assertThat(text.contains("<rec>")).isEqualTo(recommends);
        assertThat(text.contains("【一致性】")).isEqualTo(recommends);
        assertThat(text).contains("<function>：", "屏幕内容");
    }

    @Test
    void aQuestionStandsBehindTheSampleAndNoFunction() {
        PromptRenderer full = new PromptRenderer(PromptSettings.paper(), Prompts.CATALOG, Prompts.FAKE_SCREENS);
        assertThat(Piece.text(full.question(Prompts.TEXT, "是否？")))
                .startsWith("<profile>爱吃辣</profile>\n<phone>")
                .endsWith("<step>2\n搜索“火车站”\n</step>\n是否？")
                .doesNotContain("order_food", "<recommendations>");
        PromptRenderer brief = new PromptRenderer(Prompts.brief(), Prompts.CATALOG, Prompts.FAKE_SCREENS);
        assertThat(Piece.text(brief.question(Prompts.TEXT, "是否？")))
                .isEqualTo("<profile>爱吃辣<phone>电量 80%<world>18:30，下雨<step>打开地图<step>搜索“火车站”是否？");
    }

    @Test
    void anImageWithoutAReaderIsRefused() {
        PromptRenderer renderer = new PromptRenderer(PromptSettings.paper(), Prompts.CATALOG, ScreenTexts.none());
        assertThatThrownBy(() -> renderer.user(Prompts.SCREENS, null, TOP2)).hasMessageContaining("a.png");
    }

    private static PromptSettings english(PromptLayout layout, PoolRendering pool, ReasoningMode reasoning) {
        return new PromptSettings(layout, PromptWording.ENGLISH, pool, true, reasoning, null);
    }

    @Test
    void theEnglishWordingHasThePapersLayoutAndNoChinese() {
        PromptSettings settings = english(PromptLayout.PAPER, PoolRendering.SIGNATURE, ReasoningMode.FULL);
        Sample sample = new Sample(
                "e1",
                1,
                null,
                null,
                new DeviceContext("likes spicy food", "", "6 pm, rain"),
                Trajectory.ofTexts(List.of("Opens the map", "Searches for a train station")),
                null);
        FunctionSpec function = new FunctionSpec(
                "book_transport",
                "Books a ticket.",
                List.of(),
                List.of(
                        new ParameterSpec(
                                "type",
                                "way to travel",
                                "string",
                                true,
                                List.of(TextNode.valueOf("train"), TextNode.valueOf("taxi")),
                                null),
                        new ParameterSpec("seats", "how many", "int", false, List.of(IntNode.valueOf(1)), null)));
        PromptRenderer renderer = new PromptRenderer(settings, Prompts.CATALOG, Prompts.FAKE_SCREENS);
        assertThat(renderer.system()).isEqualTo("You are a helpful assistant.");
        String text = Piece.text(
                renderer.user(sample, Prompts.perception(), new CandidatePool(List.of("Travel"), List.of(function))));
        inOrder(
                text,
                "<step>1\nOpens the map\n</step>",
                "<step>2\n",
                "user's steps",
                "<profile>likes spicy food</profile>\n<world>6 pm, rain</world>",
                "<predicted_scenes>Travel: 0.90</predicted_scenes>",
                "<available_functions>\nbook_transport(type: string[train|taxi], seats?: int[1]) Books a ticket.\n",
                "</available_functions>",
                "<thinking>",
                "<function_selection>",
                "<recommendations>[]</recommendations> if none fits.");
        assertThat(text).as("what is blank is left out").doesNotContain("<phone>");
        assertThat(text.codePoints().filter(c -> c >= 0x3400 && c <= 0x9fff)).isEmpty();
        assertThat(text).doesNotContain("<ui_summary>");
    }

    @Test
    void englishWording_requestsAScreenSummaryAndHasCommonPartsFirst() {
        String text = user(english(PromptLayout.PREFIX, PoolRendering.NAMES, ReasoningMode.FULL), Prompts.SCREENS);
        inOrder(
                text,
                "user's screens",
                "<ui_summary>",
                "<thinking>",
                "<available_functions>\nbook_transport\norder_food\n",
                "<profile>",
                "<predicted_scenes>Travel: 0.90, Food: 0.25",
                "<screen>1\n");
        assertThat(user(english(PromptLayout.PAPER, PoolRendering.NAMES, ReasoningMode.NONE), Prompts.SCREENS))
                .doesNotContain("<ui_summary>")
                .doesNotContain("<thinking>");
    }

    @Test
    void aFunctionWithoutDescriptionOrParametersIsItsSignatureAlone() {
        assertThat(PromptRenderer.text(new FunctionSpec("stop", " ", List.of(), List.of()), PoolRendering.SIGNATURE))
                .isEqualTo("stop()");
    }
}
