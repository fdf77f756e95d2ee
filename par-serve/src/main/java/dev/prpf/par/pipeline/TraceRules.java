package dev.prpf.par.pipeline;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Trajectory.TraceStep;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** ProactiveMobile's rules for traces: steps begin with an action, times rise, and the answer is not in the trace. */
final class TraceRules {
    private static final Pattern STEP = Pattern.compile("(?s)\\[?(\\d{1,2}:\\d{2}(?::\\d{2})?)?]?\\s*(.*)");
    private static final Pattern ACTION = Pattern.compile(
            "(?is)(tap|swipe|long press|press|type|input|open|close|scroll|select|copy|paste|drag|pinch|switch|return|"
                    + "receive|take|play|pause|answer|hang up|unlock|点击|点开|滑动|上滑|下滑|左滑|右滑|长按|按下|输入|打开|关闭|"
                    + "滚动|选择|选中|复制|粘贴|拖动|切换|返回|收到|接听|挂断|拍摄|播放|暂停|解锁|查看|搜索|浏览).*");
    private static final int SHORT = 4;

    /** The fault of a trace that {@link #tells} an answer. */
    static final String TOLD = "the recommendation is in its own trace";

    private TraceRules() {}

    /** @throws InvalidDataException naming the first step that breaks a rule */
    static void check(List<String> steps) {
        LocalTime last = LocalTime.MIN;
        for (int i = 0; i < steps.size(); i++) {
            Matcher parts = STEP.matcher(steps.get(i).strip());
            if (!parts.matches() || !ACTION.matcher(parts.group(2)).matches()) {
                throw new InvalidDataException("step " + (i + 1) + " \"" + steps.get(i)
                        + "\" must begin with an action such as Tap, Swipe, Type (点击, 滑动, 输入), after an optional time");
            }
            LocalTime time = time(steps.get(i));
            if (time != null && time.isBefore(last)) {
                throw new InvalidDataException("step " + (i + 1) + " is at " + time + ", before " + last);
            }
            last = time == null ? last : time;
        }
    }

    /** Returns the broken rule of a trace, or null. */
    static @Nullable String fault(List<String> steps) {
        try {
            check(steps);
            return null;
        } catch (InvalidDataException e) {
            return e.getMessage();
        }
    }

    /** Returns whether texts say what an answer proposes. */
    static boolean tells(List<String> texts, List<Recommendation> answers) {
        return answers.stream()
                .map(answer -> plain(answer.instruction()))
                .filter(said -> said.length() >= SHORT)
                .anyMatch(said -> texts.stream().anyMatch(text -> plain(text).contains(said)));
    }

    private static String plain(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[\\p{P}\\p{Z}]", "");
    }

    /** Returns the time at the beginning of a step, or null. */
    static @Nullable LocalTime time(String step) {
        Matcher parts = STEP.matcher(step.strip());
        if (!parts.matches() || parts.group(1) == null) {
            return null;
        }
        String time = parts.group(1).length() % 3 == 1 ? "0" + parts.group(1) : parts.group(1);
        try {
            return LocalTime.parse(time);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Returns the position of a further step by its time, else the beginning. */
    static int place(List<TraceStep> steps, String text) {
        LocalTime time = time(text);
        int place = 0;
        for (int i = 0; i < steps.size() && time != null; i++) {
            LocalTime other = steps.get(i) instanceof TraceStep.Caption caption ? time(caption.text()) : null;
            place = other != null && !other.isAfter(time) ? i + 1 : place;
        }
        return place;
    }
}
