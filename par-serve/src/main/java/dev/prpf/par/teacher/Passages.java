package dev.prpf.par.teacher;

import dev.prpf.data.Frame;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import dev.prpf.par.prompt.ScreenTexts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A sample's context, passage by passage, latest step first: what was done last explains an answer before what is always so. */
final class Passages {
    private final List<Passage> passages = new ArrayList<>();
    private final int steps;

    /**
     * A part of the context.
     *
     * @param place its name, as the rationale calls it
     * @param text what stands there
     */
    record Passage(String place, String text) {}

    Passages(Sample sample, ScreenTexts screens) {
        if (sample.trajectory() instanceof TextTrajectory text) {
            text.steps().forEach(step -> add("操作记录第 " + (passages.size() + 1) + " 步", step));
        } else if (sample.trajectory() instanceof ScreenTrajectory screen) {
            screen.frames().forEach(frame -> add(screens, frame));
        }
        steps = passages.size();
        Collections.reverse(passages);
        add("设备状态", sample.context().phone());
        add("环境信息", sample.context().world());
        add("用户画像", sample.context().profile());
    }

    private void add(ScreenTexts screens, Frame frame) {
        int number = passages.size() + 1;
        if (frame instanceof Frame.Screenshot shot) {
            add("第 " + number + " 个画面", screens.text(shot));
        } else if (frame instanceof Frame.Caption caption) {
            add("第 " + number + " 步说明", caption.text());
        }
    }

    private void add(String place, String text) {
        passages.add(new Passage(place, text));
    }

    /** Steps or screens, the first one first. */
    List<Passage> trajectory() {
        List<Passage> first = new ArrayList<>(passages.subList(0, steps));
        Collections.reverse(first);
        return first;
    }

    /** Where a text stands word for word, or null. */
    @Nullable
    Passage holding(String text) {
        return passages.stream()
                .filter(passage -> !text.isBlank() && passage.text().contains(text))
                .findFirst()
                .orElse(null);
    }

    /** Where a number stands, not as a part of another one; or null. */
    @Nullable
    Passage holdingNumber(String digits) {
        Pattern whole = Pattern.compile("(?<![0-9.])" + Pattern.quote(digits) + "(?![0-9]|\\.[0-9])");
        return passages.stream()
                .filter(passage -> whole.matcher(passage.text()).find())
                .findFirst()
                .orElse(null);
    }
}
