package dev.prpf.par.prompt;

import dev.prpf.data.Sample.Modality;
import dev.prpf.par.response.ResponseForm.ReasoningMode;

/**
 * The fixed sentences of PRPF's prompt: the content of its Appendix D, in our words.
 *
 * @param task with {@code %s} for the trajectory's kind
 * @param steps the trajectory's kind in text samples
 * @param screens the trajectory's kind in samples with screenshots
 * @param opening of the instructions for responses with reasoning
 * @param bareOpening of the instructions for responses without reasoning
 * @param summary that requests {@code ui_summary}
 * @param thinking that requests {@code thinking}
 * @param recommendations that requests the recommendations
 */
record PaperProse(
        String task,
        String steps,
        String screens,
        String opening,
        String bareOpening,
        String summary,
        String thinking,
        String recommendations)
        implements Prose {
    static final PaperProse FULL = new PaperProse(
            "你是一个主动式手机助手。请根据用户画像（profile）、设备状态（phone）、环境信息（world）和%s，分析用户此刻的行为，判断是否需要给出推荐。\n",
            "操作记录",
            "屏幕内容",
            "请按以下顺序输出：\n",
            "请按以下顺序输出：\n",
            "<ui_summary>概括界面的变化、关键区域和用户所处的操作阶段，写出可辨认的实体，如应用名、页面标题、联系人、文件名。</ui_summary>\n",
            "<thinking>逐步推理：一、用户正在做什么，涉及哪些实体；二、结合画像、设备和环境，用户的意图是什么，任务是刚开始、"
                    + "进行中还是已完成；三、是否有未满足的需要，任务已完成且没有明显后续需要时，明确说明无需推荐；四、需要推荐时，说明推荐什么、"
                    + "为什么是现在，以及目标应用、对象、接收人等关键参数。"
                    + "<function_selection>逐一比较候选函数，写出选中的函数和参数；无需推荐时省略这一段。</function_selection></thinking>\n",
            "<recommendations>[{\"instruction\": \"推荐语\", \"function\": [{\"name\": \"函数名\", \"parameters\": {…}}]}]</recommendations>\n"
                    + "函数名和参数名必须来自可用函数，必填参数不可缺少；无需推荐时，输出 <recommendations>[]</recommendations>。");

    static final PaperProse ENGLISH = new PaperProse(
            "You are a proactive phone assistant. Judge by the user's %s and situation whether to recommend function calls now.\n",
            "steps",
            "screens",
            "Output in this order:\n",
            "Output ",
            "<ui_summary>What changed on the screens, their key parts and the stage the user is at; name apps, page titles, contacts and"
                    + " files.</ui_summary>\n",
            "<thinking>Step by step: what the user does and with what; the intent, and whether the task begins, goes on or is done;"
                    + " whether a need is left, and if none is, that nothing is to be recommended; else what to recommend, why now, and the"
                    + " app, object or receiver. <function_selection>Compare the available functions, then state those chosen and their"
                    + " parameters; leave this block out where nothing is recommended.</function_selection></thinking>\n",
            "<recommendations>[{\"instruction\": \"…\", \"function\": [{\"name\": \"…\", \"parameters\": {…}}]}]</recommendations> with"
                    + " available functions and all their required parameters, or <recommendations>[]</recommendations> if none fits.");

    @Override
    public String task(Modality modality) {
        return task.replace("%s", modality == Modality.MULTIMODAL ? screens : steps);
    }

    @Override
    public String instructions(ReasoningMode reasoning, Modality modality) {
        return reasoning == ReasoningMode.NONE
                ? bareOpening + recommendations
                : opening + (modality == Modality.MULTIMODAL ? summary : "") + thinking + recommendations;
    }
}
