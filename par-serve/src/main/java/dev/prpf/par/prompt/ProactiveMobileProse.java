package dev.prpf.par.prompt;

import dev.prpf.data.Sample.Modality;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;

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
