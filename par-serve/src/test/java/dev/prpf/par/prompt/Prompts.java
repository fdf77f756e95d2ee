package dev.prpf.par.prompt;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.Perception;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small world for tests of prompts. */
public final class Prompts {
    public static final ScenarioCatalog CATALOG = new ScenarioCatalog(
            List.of(new Scenario("Travel", "出行"), new Scenario("Food", "餐饮"), new Scenario("Work", "办公")),
            Map.of("book_transport", "Travel", "order_food", "Food", "create_note", "Work"));
    public static final FunctionPool POOL = new FunctionPool(List.of(
            new FunctionSpec(
                    "order_food",
                    "点外卖",
                    List.of(),
                    List.of(
                            new ParameterSpec("dish", "菜名", "string", true, null, null),
                            new ParameterSpec("remark", "备注", "string", false, null, null))),
            new FunctionSpec(
                    "book_transport",
                    "订票",
                    List.of(),
                    List.of(new ParameterSpec(
                            "type", "方式", "string", true, List.of(new TextNode("train"), new TextNode("taxi")), null))),
            new FunctionSpec("create_note", "记笔记", List.of(), List.of())));
    public static final DeviceContext CONTEXT = new DeviceContext("爱吃辣", "电量 80%", "18:30，下雨");
    public static final Sample TEXT =
            new Sample("t1", 1, null, null, CONTEXT, Trajectory.ofTexts(List.of("打开地图", "搜索“火车站”")), null);
    public static final Sample SCREENS = new Sample(
            "s1",
            2,
            null,
            null,
            CONTEXT,
            new Trajectory(List.of(new TraceStep.Screenshot("a.png"), new TraceStep.Caption("返回桌面"))),
            null);
    public static final ScreenTexts FAKE_SCREENS = screenshot -> "文字@" + screenshot.path();

    private Prompts() {}

    public static Perception perception() {
        Map<String, Double> scenarios = new LinkedHashMap<>();
        scenarios.put("Travel", 0.9);
        scenarios.put("Food", 0.25);
        scenarios.put("Work", 0.01);
        return new Perception(0.8, scenarios);
    }

    public static PromptSettings brief() {
        return new PromptSettings(
                PromptLayout.PREFIX, PromptWording.BRIEF, PoolRendering.COMPACT, true, ReasoningMode.NONE, null);
    }
}
