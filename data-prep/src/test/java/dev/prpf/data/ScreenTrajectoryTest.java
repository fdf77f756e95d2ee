package dev.prpf.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ScreenTrajectoryTest {
    private static final TraceStep FIRST = new TraceStep.Screenshot("1.png");
    private static final TraceStep SECOND = new TraceStep.Screenshot("2.png");
    private static final TraceStep THIRD = new TraceStep.Screenshot("3.png");
    private static final TraceStep TAP = new TraceStep.Caption("tap");
    private static final TraceStep END = new TraceStep.Caption("end");

    private static final ScreenTrajectory SCREENS =
            new ScreenTrajectory(List.of(TAP, FIRST, TAP, SECOND, TAP, THIRD, END));

    @Test
    void theLastScreenshotsStayWithTheCaptionsBetweenAndAfterThem() {
        assertThat(SCREENS.last(1).steps()).containsExactly(THIRD, END);
        assertThat(SCREENS.last(2).steps()).containsExactly(SECOND, TAP, THIRD, END);
        assertThat(SCREENS.last(2).screenshots()).containsExactly("2.png", "3.png");
    }

    @Test
    void nothingIsCutWhereThereAreNoMoreScreenshots() {
        assertThat(SCREENS.last(3)).isSameAs(SCREENS);
        assertThat(SCREENS.last(10)).isSameAs(SCREENS);
    }

    @Test
    void aTrajectoryWithoutScreenshotsIsRefused() {
        assertThatThrownBy(() -> new ScreenTrajectory(List.of(TAP))).hasMessageContaining("at least one");
    }
}
