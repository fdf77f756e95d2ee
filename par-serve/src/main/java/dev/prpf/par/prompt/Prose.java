package dev.prpf.par.prompt;

import dev.prpf.data.Sample.Modality;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import org.jspecify.annotations.Nullable;

/** The fixed sentences of a prompt in one wording: the task and the instructions, without the sample's texts. */
sealed interface Prose {
    /** The system message of all wordings. */
    String SYSTEM = "You are a helpful assistant.";

    /** Returns the prose of a wording, or null if it has none. */
    static @Nullable Prose of(PromptWording wording) {
        return switch (wording) {
            case FULL -> PaperProse.FULL;
            case ENGLISH -> PaperProse.ENGLISH;
            case PROACTIVEMOBILE -> ProactiveMobileProse.CHINESE;
            case BRIEF -> null;
        };
    }

    /** Returns the task, with its line end. */
    String task(Modality modality);

    /** Returns the form of the response, without a line end. */
    String instructions(ReasoningMode reasoning, Modality modality);

    /** Returns the last sentence of {@link PromptLayout#PROACTIVEMOBILE}; empty in a wording without one. */
    default String closing(Modality modality) {
        return "";
    }

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

    /** The fixed sentences of ProactiveMobile's prompt: the content of its Appendix F, "Prompt for Training/Inference", in our words. */
    enum ProactiveMobileProse implements Prose {
        CHINESE;

        private static final String TASK =
                """
                你是手机主动推荐的决策专家。请根据多方面的信息预测用户接下来的操作意图，并判断是否应当主动推荐可用的函数。
                【输入】profile：用户画像与习惯；phone：设备状态、网络、电量等；world：时间、地点、天气、日程等外部环境；%s：用户最近的操作序列与行为规律。
                【职责】一、深入分析用户真实的需要和意图；二、评估这些需要是否紧迫、明确；三、判断是否有必要主动推荐；四、有必要时，从可用函数中选出要执行的函数。
                【原则】只有可用函数能完整实现推荐时，才给出函数序列；无需推荐，或现有函数无法实现时，给出空列表；函数按执行的先后排列。
                【分析步骤】一、识别需要：从操作序列中找出可能的需要，与画像、环境和外部信息相互印证，尤其是时间、地点和日程；\
                二、评估紧迫性：当前时间、日程安排或设备状态（如电量低、网络差）是否构成紧迫的触发条件；\
                三、匹配函数：可用函数能否完整满足这些需要，必填参数能否全部填写；\
                四、作出决定：只有需要明确、紧迫且可用函数能完整执行时才推荐，并确定推荐的内容。
                """;

        private static final String THINK = "<think>：写出推理过程，结合以上各方面的信息深入分析用户的需要。\n";
        private static final String REC = "<rec>：用自然语言写出推荐的操作。它必须具体，能在手机上用有限的几步执行，是一串明确的操作而不是泛泛的建议；无需推荐时写“无推荐”。\n";
        private static final String FUNCTION =
                """
                <function>：写成 JSON：{"model_recommendation": [{"name": "函数名", "parameters": {"参数名": "参数值"}}]}。\
                键和字符串用双引号，最后一项后面没有逗号，字符串内部的引号用单引号，不写注释；每个函数都有 name 和 parameters；\
                parameters 只写执行所需的参数，没有值的可选参数写成空字符串或省略；无需推荐时 model_recommendation 为 []。
                """;
        private static final String CONSISTENT =
                """
                【一致性】<function> 中的函数序列必须与 <rec> 描述的操作完全一致；<rec> 为“无推荐”而 <function> 有内容的输出无效；\
                <rec> 有推荐而可用函数中没有相应的函数时，<function> 给出空列表。
                """;
        private static final String FUNCTIONS =
                "【函数】可用函数的说明中，similar 是容易混淆的函数；must_fill 为 required 的参数必须填写；value 是参数可取的值或其结构，non-enumerable 表示不限；"
                        + "类型为 dict 的参数必须按 value 给出的结构填写，其中每个字段都要填全；不得增加可用函数以外的函数，也不得增加函数说明以外的参数。";
        private static final String CLOSING = "请仔细分析以上输入%s，按分析步骤推理，并严格按输出格式给出推荐结果。";

        @Override
        public String task(Modality modality) {
            return TASK.replace("%s", modality == Modality.MULTIMODAL ? "屏幕内容" : "操作记录");
        }

        @Override
        public String closing(Modality modality) {
            return CLOSING.replace("%s", modality == Modality.MULTIMODAL ? "（尤其是图像中的全部可见信息）" : "");
        }

        @Override
        public String instructions(ReasoningMode reasoning, Modality modality) {
            ResponseForm form = ResponseForm.of(reasoning, modality);
            return "【输出格式】严格按以下结构输出："
                    + (form.thinks() ? "<think>推理过程</think>" : "")
                    + (form.recommends() ? "<rec>推荐决定</rec>" : "")
                    + "<function>与之对应的函数调用 JSON</function>\n【输出要求】\n"
                    + (form.thinks() ? THINK : "")
                    + (form.recommends() ? REC : "")
                    + FUNCTION
                    + (form.recommends() ? CONSISTENT : "")
                    + FUNCTIONS;
        }
    }
}
