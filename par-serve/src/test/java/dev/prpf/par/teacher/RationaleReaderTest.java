package dev.prpf.par.teacher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import dev.prpf.par.teacher.Teacher.RationaleResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RationaleReaderTest {
    private static final Recommendation ANSWER =
            new Recommendation("点一份水煮鱼", List.of(new FunctionCall("order_food", Map.of("dish", new TextNode("水煮鱼")))));
    private static final RationaleRequest REQUEST =
            new RationaleRequest(Prompts.TEXT, ANSWER, CandidatePool.whole(Prompts.POOL));
    private static final String REASONING =
            "<thinking>用户想吃饭<function_selection>选 order_food，dish 为水煮鱼，出自第 2 步</function_selection></thinking>";
    private static final String RECOMMENDED = "<recommendations>[{\"instruction\":\"点一份水煮鱼\",\"function\":"
            + "[{\"name\":\"order_food\",\"parameters\":{\"dish\":\"水煮鱼\"}}]}]</recommendations>";

    private static RationaleResult read(String text) {
        return RationaleReader.read(text, REQUEST, null);
    }

    private static ParResponse.Parsed written(String text, boolean repaired) {
        RationaleResult result = read(text);
        assertThat(result).isInstanceOf(RationaleResult.Written.class);
        RationaleResult.Written written = (RationaleResult.Written) result;
        assertThat(written.repaired()).as(text).isEqualTo(repaired);
        assertThat(written.response().recommendations()).containsExactly(ANSWER);
        assertThat(ResponseParser.parse(ResponseWriter.write(written.response()), ResponseForm.TEXT))
                .isInstanceOf(ParResponse.Parsed.class);
        return written.response();
    }

    private static void dropped(String text, RationaleResult.Fault fault, String why) {
        assertThat(read(text)).isInstanceOfSatisfying(RationaleResult.Dropped.class, dropped -> {
            assertThat(dropped.fault()).isEqualTo(fault);
            assertThat(dropped.why()).contains(why);
        });
    }

    @Test
    void textThatEndsInTheAnswerIsAccepted() {
        ParResponse.Parsed parsed = written(REASONING + "\n" + RECOMMENDED, false);
        assertThat(parsed.thinking()).isEqualTo("用户想吃饭");
        assertThat(parsed.functionSelection()).contains("order_food");
        assertThat(parsed.uiSummary()).isNull();
    }

    @Test
    void instructionIsReplacedByTheAnswers() {
        written(REASONING + RECOMMENDED.replace("点一份水煮鱼", "来一份水煮鱼"), false);
    }

    @Test
    void thoughtsFencesAndSurroundingTextAreRemoved() {
        written("<think>先想一想</think>\n" + REASONING + RECOMMENDED, true);
        written("```xml\n" + REASONING + "\n" + RECOMMENDED + "\n```", true);
        written("好的，如下：\n" + REASONING + RECOMMENDED + "\n希望有帮助。", true);
        written("<ui_summary>首页</ui_summary>" + REASONING + RECOMMENDED, true);
    }

    @Test
    void missingOrInvalidRecommendationIsReplaced() {
        written(REASONING, true);
        written(REASONING + "<recommendations>[{</recommendations>", true);
        written(REASONING + RECOMMENDED.replace("\"dish\":\"水煮鱼\"", "\"dish\":\"水煮鱼\",\"remark\":\"辣\""), true);
    }

    @Test
    void reasoningForOtherFunctionsIsDropped() {
        dropped(
                REASONING + RECOMMENDED.replace("order_food", "create_note"),
                RationaleResult.Fault.OTHER_FUNCTIONS,
                "it argues for [create_note], the answer is [order_food]");
        dropped(
                REASONING + "<recommendations>[]</recommendations>",
                RationaleResult.Fault.OTHER_FUNCTIONS,
                "argues for []");
        dropped(REASONING.replace("order_food", "它"), RationaleResult.Fault.OTHER_FUNCTIONS, "argues for []");
    }

    @Test
    void partOfALongerNameIsNotAMention() {
        dropped(
                REASONING.replace("order_food", "reorder_food_again"),
                RationaleResult.Fault.OTHER_FUNCTIONS,
                "argues for []");
    }

    @Test
    void reasoningForOtherArgumentsIsDropped() {
        dropped(
                REASONING.replace("水煮鱼", "烤鸭") + RECOMMENDED.replace("\"dish\":\"水煮鱼\"", "\"dish\":\"烤鸭\""),
                RationaleResult.Fault.OTHER_ARGUMENTS,
                "it does not mention the answer's argument \"水煮鱼\"");
        dropped(REASONING.replace("水煮鱼", "鱼"), RationaleResult.Fault.OTHER_ARGUMENTS, "水煮鱼");
    }

    @Test
    void valuesInsideListsAndNumbersMustBeMentionedToo() {
        Recommendation answer = new Recommendation(
                "记",
                List.of(new FunctionCall(
                        "create_note",
                        Map.of(
                                "tags",
                                JsonNodeFactory.instance.arrayNode().add("甲").add("乙"),
                                "count",
                                new IntNode(3),
                                "text",
                                new TextNode(" ")))));
        RationaleRequest request = new RationaleRequest(Prompts.TEXT, answer, CandidatePool.whole(Prompts.POOL));
        String text = "<thinking>想<function_selection>create_note：甲、乙，共 3 个</function_selection></thinking>";
        assertThat(RationaleReader.read(text, request, null)).isInstanceOf(RationaleResult.Written.class);
        assertThat(RationaleReader.read(text.replace("乙", ""), request, null))
                .isInstanceOf(RationaleResult.Dropped.class);
        assertThat(RationaleReader.read(text.replace("3", ""), request, null))
                .isInstanceOf(RationaleResult.Dropped.class);
    }

    @Test
    void textWithoutThePartsIsUnreadable() {
        dropped("抱歉，我不能回答。", RationaleResult.Fault.UNREADABLE, "it has no thinking with a function selection: \"抱歉");
        dropped("", RationaleResult.Fault.UNREADABLE, "\"\"");
        dropped(RECOMMENDED, RationaleResult.Fault.UNREADABLE, "no thinking");
        dropped(REASONING.substring(0, 30), RationaleResult.Fault.UNREADABLE, "no thinking");
        dropped(
                "<thinking> <function_selection>order_food 水煮鱼</function_selection></thinking>",
                RationaleResult.Fault.UNREADABLE,
                "no thinking");
        dropped("长".repeat(500), RationaleResult.Fault.UNREADABLE, "长…\"");
    }

    /** Texts on which backtracking over blank lines or tags took 7 to 14 seconds; a server can send them. */
    @ParameterizedTest
    @MethodSource
    void timeIsLinearInTheTextsLength(String text) {
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            dropped(text, RationaleResult.Fault.UNREADABLE, "no thinking");
            RationaleReader.summary(text);
        });
    }

    static Stream<String> timeIsLinearInTheTextsLength() {
        return Stream.of(
                "\n".repeat(40_000),
                "x" + "\n".repeat(40_000) + "x",
                "<thinking>".repeat(4_000),
                "<thinking><function_selection>".repeat(1_500),
                "<ui_summary>".repeat(4_000),
                "<recommendations>".repeat(4_000),
                "<think>".repeat(4_000),
                "```".repeat(12_000) + "!");
    }

    @Test
    void fencesAndThoughtsAreRemovedFromSummaries() {
        assertThat(RationaleReader.summary("<think>看看</think>\n```text\n首页\n```\n"))
                .isEqualTo("首页");
        assertThat(RationaleReader.summary("好的：<ui_summary>首页</ui_summary>。")).isEqualTo("首页");
        assertThat(RationaleReader.summary("<think>没想完")).isEqualTo("<think>没想完");
        assertThat(RationaleReader.summary("```\n```")).isNull();
    }

    @Test
    void tagsInsideTheReasoningAreEscaped() {
        ParResponse.Parsed parsed = written(
                "<thinking>页面写着 <recommendations> 字样<function_selection>order_food 水煮鱼 </thinking></function_selection>"
                        + RECOMMENDED,
                true);
        assertThat(parsed.thinking()).isEqualTo("页面写着 ＜recommendations> 字样");
    }

    @Test
    void aSummaryIsOneTextWithoutTags() {
        assertThat(summary("  首页，购物车有 2 件。\n")).isEqualTo("首页，购物车有 2 件。");
        assertThat(summary("<think>看看</think><ui_summary>首页</ui_summary>好了")).isEqualTo("首页");
        assertThat(summary("```\n首页\n```")).isEqualTo("首页");
        assertThat(summary("首页 <thinking>")).isEqualTo("首页 ＜thinking>");
        assertThat(summary("<think>看看</think>")).isNull();
        assertThat(summary(" ")).isNull();
    }

    private static @Nullable String summary(String text) {
        return RationaleReader.summary(text);
    }
}
