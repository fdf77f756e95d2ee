package dev.prpf.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ScreenTrajectoryTest {
    private static final Frame FIRST = new Frame.Screenshot("1.png");
    private static final Frame SECOND = new Frame.Screenshot("2.png");
    private static final Frame THIRD = new Frame.Screenshot("3.png");
    private static final Frame TAP = new Frame.Caption("tap");
    private static final Frame END = new Frame.Caption("end");

    private static final ScreenTrajectory SCREENS =
            new ScreenTrajectory(List.of(TAP, FIRST, TAP, SECOND, TAP, THIRD, END));

    @Test
    void theLastScreenshotsStayWithTheCaptionsBetweenAndAfterThem() {
        assertThat(SCREENS.last(1).frames()).containsExactly(THIRD, END);
        assertThat(SCREENS.last(2).frames()).containsExactly(SECOND, TAP, THIRD, END);
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
