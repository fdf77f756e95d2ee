package dev.prpf.par.prompt;

import dev.prpf.data.Modality;
import dev.prpf.par.response.ReasoningMode;

/** The prose of {@link PromptWording#FULL}: what PRPF Appendix D asks for, in our words. */
final class FullWording implements Prose {
    @Override
    public String task(Modality modality) {
        String evidence = modality == Modality.MULTIMODAL ? "屏幕内容" : "操作记录";
        return "你是一个主动式手机助手。请根据用户画像（profile）、设备状态（phone）、环境信息（world）和" + evidence + "，分析用户此刻的行为，判断是否需要给出推荐。\n";
    }

    @Override
    public String instructions(ReasoningMode reasoning, Modality modality) {
        StringBuilder text = new StringBuilder("请按以下顺序输出：\n");
        if (reasoning == ReasoningMode.FULL) {
            if (modality == Modality.MULTIMODAL) {
                text.append("<ui_summary>概括界面的变化、关键区域和用户所处的操作阶段，写出可辨认的实体，" + "如应用名、页面标题、联系人、文件名。</ui_summary>\n");
            }
            text.append("<thinking>逐步推理：一、用户正在做什么，涉及哪些实体；二、结合画像、设备和环境，用户的意图是什么，任务是刚开始、"
                    + "进行中还是已完成；三、是否有未满足的需要，任务已完成且没有明显后续需要时，明确说明无需推荐；四、需要推荐时，说明推荐什么、"
                    + "为什么是现在，以及目标应用、对象、接收人等关键参数。"
                    + "<function_selection>逐一比较候选函数，写出选中的函数和参数；无需推荐时省略这一段。</function_selection></thinking>\n");
        }
        return text.append(
                        "<recommendations>[{\"instruction\": \"推荐语\", \"function\": [{\"name\": \"函数名\", \"parameters\": {…}}]}]"
                                + "</recommendations>\n"
                                + "函数名和参数名必须来自可用函数，必填参数不可缺少；无需推荐时，输出 <recommendations>[]</recommendations>。")
                .toString();
    }
}
