package dev.prpf.par.teacher;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LessonReaderTest {
    private static final Recommendation ANSWER =
            new Recommendation("点一份水煮鱼", List.of(new FunctionCall("order_food", Map.of("dish", new TextNode("水煮鱼")))));
    private static final Lesson LESSON = new Lesson(Prompts.TEXT, ANSWER, CandidatePool.whole(Prompts.POOL));
    private static final String REASONING =
            "<thinking>用户想吃饭<function_selection>选 order_food，dish 为水煮鱼，出自第 2 步</function_selection></thinking>";
    private static final String RECOMMENDED = "<recommendations>[{\"instruction\":\"点一份水煮鱼\",\"function\":"
            + "[{\"name\":\"order_food\",\"parameters\":{\"dish\":\"水煮鱼\"}}]}]</recommendations>";

    private static Taught read(String text) {
        return LessonReader.read(text, LESSON, null);
    }

    private static ParResponse.Parsed written(String text, boolean repaired) {
        Taught taught = read(text);
        assertThat(taught).isInstanceOf(Taught.Written.class);
        Taught.Written written = (Taught.Written) taught;
        assertThat(written.repaired()).as(text).isEqualTo(repaired);
        assertThat(written.response().recommendations()).containsExactly(ANSWER);
        assertThat(ResponseParser.parse(ResponseWriter.write(written.response()), ResponseForm.TEXT))
                .isInstanceOf(ParResponse.Parsed.class);
        return written.response();
    }

    private static void dropped(String text, Taught.Fault fault, String why) {
        assertThat(read(text)).isInstanceOfSatisfying(Taught.Dropped.class, dropped -> {
            assertThat(dropped.fault()).isEqualTo(fault);
            assertThat(dropped.why()).contains(why);
        });
    }

    @Test
    void aTextThatEndsInTheAnswerIsTakenAsItIs() {
        ParResponse.Parsed parsed = written(REASONING + "\n" + RECOMMENDED, false);
        assertThat(parsed.thinking()).isEqualTo("用户想吃饭");
        assertThat(parsed.functionSelection()).contains("order_food");
        assertThat(parsed.uiSummary()).isNull();
    }

    @Test
    void itsOwnInstructionIsReplacedByTheAnswers() {
        written(REASONING + RECOMMENDED.replace("点一份水煮鱼", "来一份水煮鱼"), false);
    }

    @Test
    void ownThoughtsFencesAndTalkAroundItAreRepaired() {
        written("<think>先想一想</think>\n" + REASONING + RECOMMENDED, true);
        written("```xml\n" + REASONING + "\n" + RECOMMENDED + "\n```", true);
        written("好的，如下：\n" + REASONING + RECOMMENDED + "\n希望有帮助。", true);
        written("<ui_summary>首页</ui_summary>" + REASONING + RECOMMENDED, true);
    }

    @Test
    void aRecommendationThatIsMissingOrBrokenIsReplacedWhereTheReasoningNamesAll() {
        written(REASONING, true);
        written(REASONING + "<recommendations>[{</recommendations>", true);
        written(REASONING + RECOMMENDED.replace("\"dish\":\"水煮鱼\"", "\"dish\":\"水煮鱼\",\"remark\":\"辣\""), true);
    }

    @Test
    void reasoningForOtherFunctionsIsDropped() {
        dropped(
                REASONING + RECOMMENDED.replace("order_food", "create_note"),
                Taught.Fault.OTHER_FUNCTIONS,
                "it argues for [create_note], the answer is [order_food]");
        dropped(REASONING + "<recommendations>[]</recommendations>", Taught.Fault.OTHER_FUNCTIONS, "argues for []");
        dropped(REASONING.replace("order_food", "它"), Taught.Fault.OTHER_FUNCTIONS, "argues for []");
    }

    @Test
    void aNameWithinALongerOneIsNoMention() {
        dropped(REASONING.replace("order_food", "reorder_food_again"), Taught.Fault.OTHER_FUNCTIONS, "argues for []");
    }

    @Test
    void reasoningForOtherArgumentsIsDropped() {
        dropped(
                REASONING.replace("水煮鱼", "烤鸭") + RECOMMENDED.replace("\"dish\":\"水煮鱼\"", "\"dish\":\"烤鸭\""),
                Taught.Fault.OTHER_ARGUMENTS,
                "it does not mention the answer's argument \"水煮鱼\"");
        dropped(REASONING.replace("水煮鱼", "鱼"), Taught.Fault.OTHER_ARGUMENTS, "水煮鱼");
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
        Lesson lesson = new Lesson(Prompts.TEXT, answer, CandidatePool.whole(Prompts.POOL));
        String text = "<thinking>想<function_selection>create_note：甲、乙，共 3 个</function_selection></thinking>";
        assertThat(LessonReader.read(text, lesson, null)).isInstanceOf(Taught.Written.class);
        assertThat(LessonReader.read(text.replace("乙", ""), lesson, null)).isInstanceOf(Taught.Dropped.class);
        assertThat(LessonReader.read(text.replace("3", ""), lesson, null)).isInstanceOf(Taught.Dropped.class);
    }

    @Test
    void whatHasNotThePartsIsUnreadable() {
        dropped("抱歉，我不能回答。", Taught.Fault.UNREADABLE, "it has no thinking with a function selection: \"抱歉");
        dropped("", Taught.Fault.UNREADABLE, "\"\"");
        dropped(RECOMMENDED, Taught.Fault.UNREADABLE, "no thinking");
        dropped(REASONING.substring(0, 30), Taught.Fault.UNREADABLE, "no thinking");
        dropped(
                "<thinking> <function_selection>order_food 水煮鱼</function_selection></thinking>",
                Taught.Fault.UNREADABLE,
                "no thinking");
        dropped("长".repeat(500), Taught.Fault.UNREADABLE, "长…\"");
    }

    @Test
    void tagsInsideTheReasoningAreDefused() {
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
        return LessonReader.summary(text);
    }
}
