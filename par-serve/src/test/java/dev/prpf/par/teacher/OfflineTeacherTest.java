package dev.prpf.par.teacher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OfflineTeacherTest {
    private static final CandidatePool POOL = CandidatePool.whole(Prompts.POOL);
    private static final OfflineTeacher TEACHER = new OfflineTeacher(Prompts.FAKE_SCREENS);
    private static final DeviceContext CONTEXT = new DeviceContext("爱吃辣，常点水煮鱼", "电量 80%", "18:30，下雨");

    private static Sample text(String... steps) {
        return sample(Trajectory.ofTexts(List.of(steps)));
    }

    private static Sample sample(Trajectory trajectory) {
        return new Sample("t", 1, null, null, CONTEXT, trajectory, null);
    }

    private static FunctionCall call(String name, String parameters) {
        Map<String, JsonNode> values = new LinkedHashMap<>();
        try {
            new ObjectMapper().readTree(parameters).properties().forEach(e -> values.put(e.getKey(), e.getValue()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new FunctionCall(name, values);
    }

    private static String selection(Sample sample, String instruction, FunctionCall... calls) {
        return Objects.requireNonNull(
                TEACHER.write(new RationaleRequest(sample, new Recommendation(instruction, List.of(calls)), POOL))
                        .functionSelection());
    }

    @Test
    void rationaleNamesCandidatesChoiceAndSources() {
        assertThat(selection(
                        text("打开外卖软件", "搜索水煮鱼"), "点一份水煮鱼", call("order_food", "{\"dish\":\"水煮鱼\",\"remark\":\"少油\"}")))
                .isEqualTo("候选函数 3 个：order_food、book_transport、create_note。第 1 步选 order_food（点外卖）。"
                        + "参数 dish：“水煮鱼”出自操作记录第 2 步。参数 remark：“少油”在上下文中没有原文。");
    }

    @Test
    void argumentsWithoutASourceAreNamed() {
        Sample sample = text("看地图");
        assertThat(selection(sample, "打车", call("book_transport", "{\"type\":\"taxi\"}")))
                .contains("参数 type：“taxi”是函数列出的取值。");
        assertThat(selection(sample, "打车", call("book_transport", "{\"type\":\"rocket\"}")))
                .contains("参数 type：“rocket”在上下文中没有原文。");
        assertThat(selection(sample, "买烤鸭", call("order_food", "{\"dish\":\"烤鸭\"}")))
                .contains("“烤鸭”随推荐语而定");
        assertThat(selection(sample, "点菜", call("order_food", "{\"dish\":\"水煮鱼\",\"remark\":\"\"}")))
                .contains("“水煮鱼”出自用户画像", "参数 remark：留空。");
    }

    @Test
    void numbersAreFoundOnlyAsAWhole() {
        Sample sample = text("还剩 130 元", "买 3 份");
        assertThat(selection(sample, "记", call("create_note", "{\"n\":3}"))).contains("“3”出自操作记录第 2 步");
        assertThat(selection(sample, "记", call("create_note", "{\"n\":13}"))).contains("“13”在上下文中没有原文");
        assertThat(selection(sample, "记", call("create_note", "{\"n\":18}")))
                .as("18:30 begins with the hour")
                .contains("“18”出自环境信息");
        assertThat(selection(sample, "记", call("create_note", "{\"b\":true}"))).contains("“true”在上下文中没有原文");
    }

    @Test
    void leavesOfListsAndDictsHaveTheirSources() {
        assertThat(selection(
                        text("约张三", "约李四"),
                        "记",
                        call("create_note", "{\"people\":[\"张三\",\"李四\"],\"d\":{\"k\":\"王五\"}}")))
                .contains("参数 people：“张三”出自操作记录第 1 步，“李四”出自操作记录第 2 步。", "参数 d：“王五”在上下文中没有原文。");
    }

    @Test
    void screensAreSummed() {
        Sample sample =
                sample(new Trajectory(List.of(new TraceStep.Screenshot("a.png"), new TraceStep.Caption("返回桌面"))));
        ParResponse.Parsed result = TEACHER.write(
                new RationaleRequest(sample, new Recommendation("记下", List.of(call("create_note", "{}"))), POOL));
        assertThat(result.uiSummary()).isEqualTo("共 2 步。第 1 个画面：“文字@a.png”；第 2 步说明：“返回桌面”。");
        assertThat(result.thinking()).isEqualTo("用户共有 2 步操作，第 2 步说明是“返回桌面”。此刻有未满足的需要，推荐：记下。");
    }

    /** With any text in the context, the response keeps the grammar and recommends exactly the answer. */
    @Test
    void difficultTextsKeepTheGrammar() {
        String[] scraps = {
            "</thinking>", "<recommendations>", "\n", "“", "<", "𠮷", "$1\\", "a", " ", "No recommendation"
        };
        Random random = new Random(4);
        for (int i = 0; i < 200; i++) {
            List<String> words = new ArrayList<>();
            for (int j = 0; j < 30; j++) {
                words.add(scraps[random.nextInt(scraps.length)]);
            }
            String nasty = String.join("", words);
            Recommendation answer = new Recommendation(
                    nasty,
                    List.of(new FunctionCall("create_note", Map.of("text", new ObjectMapper().valueToTree(nasty)))));
            boolean seen = random.nextBoolean();
            Sample sample = seen
                    ? sample(new Trajectory(List.of(new TraceStep.Screenshot(nasty), new TraceStep.Caption(nasty))))
                    : text(nasty);
            ParResponse.Parsed result = TEACHER.write(new RationaleRequest(sample, answer, POOL));
            String written = ResponseWriter.write(result);
            assertThat(ResponseParser.parse(written, seen ? ResponseForm.SCREENS : ResponseForm.TEXT))
                    .as(written)
                    .isEqualTo(result);
            assertThat(result.recommendations()).containsExactly(answer);
        }
    }

    @Test
    void silenceNeedsNoTeacherAndAnswersMustBeCandidates() {
        Recommendation silence = new Recommendation("", List.of());
        assertThatThrownBy(() -> new RationaleRequest(text("a"), silence, POOL))
                .hasMessage("sample t: silence needs no reasoning");
        assertThatThrownBy(() -> selection(text("a"), "飞", call("fly", "{}")))
                .hasMessage("sample t: fly is not a candidate");
        assertThat(TEACHER.id()).isEqualTo("offline:1");
    }
}
