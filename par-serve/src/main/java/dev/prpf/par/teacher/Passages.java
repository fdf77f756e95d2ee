package dev.prpf.par.teacher;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Frame;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import dev.prpf.par.prompt.ScreenTexts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A sample's context, passage by passage.
 *
 * @param trajectory steps or screens, the first one first
 * @param fields device, surroundings, profile
 */
record Passages(List<Passage> trajectory, List<Passage> fields) {
    /**
     * A part of the context.
     *
     * @param place its name, as the rationale calls it
     * @param text what stands there
     */
    record Passage(String place, String text) {}

    static Passages of(Sample sample, ScreenTexts screens) {
        List<Passage> trajectory = new ArrayList<>();
        if (sample.trajectory() instanceof TextTrajectory text) {
            text.steps().forEach(step -> trajectory.add(new Passage("操作记录第 " + (trajectory.size() + 1) + " 步", step)));
        } else if (sample.trajectory() instanceof ScreenTrajectory screen) {
            screen.frames().forEach(frame -> trajectory.add(passage(frame, trajectory.size() + 1, screens)));
        }
        DeviceContext context = sample.context();
        return new Passages(
                trajectory,
                List.of(
                        new Passage("设备状态", context.phone()),
                        new Passage("环境信息", context.world()),
                        new Passage("用户画像", context.profile())));
    }

    private static Passage passage(Frame frame, int number, ScreenTexts screens) {
        return frame instanceof Frame.Screenshot shot
                ? new Passage("第 " + number + " 个画面", screens.text(shot))
                : new Passage("第 " + number + " 步说明", ((Frame.Caption) frame).text());
    }

    /** Where a text stands word for word, or null. */
    @Nullable
    Passage holding(String text) {
        return first(passage -> !text.isBlank() && passage.contains(text));
    }

    /** Where a number stands, not as a part of another one; or null. */
    @Nullable
    Passage holdingNumber(String digits) {
        Pattern whole = Pattern.compile("(?<![0-9.])" + Pattern.quote(digits) + "(?![0-9]|\\.[0-9])");
        return first(whole.asPredicate());
    }

    /** The latest step comes first: what was done last explains an answer before what is always so. */
    private @Nullable Passage first(Predicate<String> holds) {
        for (int i = trajectory.size() - 1; i >= 0; i--) {
            if (holds.test(trajectory.get(i).text())) {
                return trajectory.get(i);
            }
        }
        return fields.stream()
                .filter(passage -> holds.test(passage.text()))
                .findFirst()
                .orElse(null);
    }
}
