package dev.prpf.par.teacher;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import dev.prpf.par.teacher.Teacher.RationaleResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes plain rationales without a model, with PRPF A.3's parts, in Chinese like the prompts. They name the last action, the recommendation,
 * the candidates, the chosen functions, and the place of each argument in the context. All claims are looked up: an argument without a place
 * is described as such.
 *
 * @param screens reads the screenshots; {@link ScreenTexts#none()} for text data
 */
public record OfflineTeacher(ScreenTexts screens) implements Teacher {
    private static final int MAX_QUOTE = 60;

    @Override
    public String id() {
        return "offline:1";
    }

    @Override
    public List<RationaleResult> write(List<RationaleRequest> requests) {
        return requests.stream()
                .<RationaleResult>map(request -> new RationaleResult.Written(write(request), false))
                .toList();
    }

    /** Writes the response of one request. */
    public ParResponse.Parsed write(RationaleRequest request) {
        Passages passages = Passages.of(request.sample(), screens);
        return new ParResponse.Parsed(
                request.sample().modality() == Modality.MULTIMODAL ? summary(passages) : null,
                thinking(request, passages),
                selection(request, passages),
                List.of(request.answer()));
    }

    private static String summary(Passages passages) {
        List<Passages.Passage> screens = passages.trajectory();
        return "共 " + screens.size() + " 步。"
                + screens.stream()
                        .map(screen -> screen.place() + "：" + quote(screen.text()))
                        .collect(Collectors.joining("；"))
                + "。";
    }

    private static String thinking(RationaleRequest request, Passages passages) {
        List<Passages.Passage> steps = passages.trajectory();
        String last = steps.isEmpty()
                ? "没有操作记录"
                : steps.get(steps.size() - 1).place() + "是"
                        + quote(steps.get(steps.size() - 1).text());
        return "用户共有 " + steps.size() + " 步操作，" + last + "。此刻有未满足的需要，推荐："
                + clean(request.answer().instruction()) + "。";
    }

    private static String selection(RationaleRequest request, Passages passages) {
        List<FunctionSpec> candidates = request.candidates().functions();
        StringBuilder text = new StringBuilder("候选函数 " + candidates.size() + " 个：");
        text.append(candidates.stream().map(FunctionSpec::name).collect(Collectors.joining("、")))
                .append("。");
        int number = 0;
        for (FunctionCall call : request.answer().calls()) {
            FunctionSpec spec = candidates.stream()
                    .filter(candidate -> candidate.name().equals(call.name()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "sample " + request.sample().id() + ": " + call.name() + " is not a candidate"));
            text.append("第 " + ++number + " 步选 " + call.name() + "（" + clean(spec.description()) + "）。");
            call.parameters().forEach((name, value) -> text.append(argument(name, value, spec, request, passages)));
        }
        return clean(text.toString());
    }

    private static String argument(
            String name, JsonNode value, FunctionSpec function, RationaleRequest request, Passages passages) {
        String sources = RationaleRequest.leaves(value).stream()
                .map(leaf -> quote(leaf.asText()) + source(leaf, lists(function, name, leaf), request, passages))
                .collect(Collectors.joining("，"));
        return "参数 " + name + "：" + (sources.isEmpty() ? "留空" : sources) + "。";
    }

    private static boolean lists(FunctionSpec function, String parameter, JsonNode value) {
        return function.parameters().stream()
                .filter(known -> known.name().equals(parameter) && known.enumeration() != null)
                .flatMap(known -> known.enumeration().stream())
                .anyMatch(allowed -> allowed.asText().equals(value.asText()));
    }

    private static String source(JsonNode leaf, boolean listed, RationaleRequest request, Passages passages) {
        String text = leaf.asText();
        Passages.Passage place =
                leaf.isTextual() ? passages.holding(text) : leaf.isNumber() ? passages.holdingNumber(text) : null;
        if (place != null) {
            return "出自" + place.place();
        }
        if (listed) {
            return "是函数列出的取值";
        }
        return leaf.isTextual() && request.answer().instruction().contains(text) ? "随推荐语而定" : "在上下文中没有原文";
    }

    private static String quote(String text) {
        String one = clean(text);
        int length = one.codePointCount(0, one.length());
        return "“" + (length <= MAX_QUOTE ? one : one.substring(0, one.offsetByCodePoints(0, MAX_QUOTE)) + "…") + "”";
    }

    /** Returns the text as one line that cannot contain a tag of the grammar. */
    private static String clean(String text) {
        return text.replaceAll("\\s+", " ").replace('<', '＜').strip();
    }

    /** The context of a sample in passages: its steps or screenshots in order, and the fields device, surroundings and profile. */
    record Passages(List<Passage> trajectory, List<Passage> fields) {
        /** A part of the context: its name in rationales, and its text. */
        record Passage(String place, String text) {}

        static Passages of(Sample sample, ScreenTexts screens) {
            boolean captioned = sample.modality() == Modality.TEXT;
            List<Passage> trajectory = new ArrayList<>();
            for (TraceStep step : sample.trajectory().steps()) {
                int number = trajectory.size() + 1;
                String caption = captioned ? "操作记录第 " + number + " 步" : "第 " + number + " 步说明";
                String place = step instanceof TraceStep.Screenshot ? "第 " + number + " 个画面" : caption;
                trajectory.add(new Passage(place, step.text(screens::text)));
            }
            DeviceContext context = sample.context();
            return new Passages(
                    trajectory,
                    List.of(
                            new Passage("设备状态", context.phone()),
                            new Passage("环境信息", context.world()),
                            new Passage("用户画像", context.profile())));
        }

        /** Returns the passage that contains a text literally, or null. */
        @Nullable
        Passage holding(String text) {
            return first(passage -> !text.isBlank() && passage.contains(text));
        }

        /** Returns the passage that contains a number, not as part of another number; or null. */
        @Nullable
        Passage holdingNumber(String digits) {
            Pattern whole = Pattern.compile("(?<![0-9.])" + Pattern.quote(digits) + "(?![0-9]|\\.[0-9])");
            return first(whole.asPredicate());
        }

        /** Returns the first match, latest step first, fields last: recent actions explain an answer better than constant facts. */
        private @Nullable Passage first(Predicate<String> holds) {
            List<Passage> order = new ArrayList<>(trajectory);
            Collections.reverse(order);
            return Stream.concat(order.stream(), fields.stream())
                    .filter(passage -> holds.test(passage.text()))
                    .findFirst()
                    .orElse(null);
        }
    }
}
