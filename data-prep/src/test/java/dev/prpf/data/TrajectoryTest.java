package dev.prpf.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Trajectory.TraceStep;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrajectoryTest {
    private static final TraceStep FIRST = new TraceStep.Screenshot("1.png");
    private static final TraceStep SECOND = new TraceStep.Screenshot("2.png");
    private static final TraceStep THIRD = new TraceStep.Screenshot("3.png");
    private static final TraceStep TAP = new TraceStep.Caption("tap");
    private static final TraceStep END = new TraceStep.Caption("end");

    private static final Trajectory SCREENS = new Trajectory(List.of(TAP, FIRST, TAP, SECOND, TAP, THIRD, END));

    @Test
    void theLastScreenshotsStayWithTheCaptionsBetweenAndAfterThem() {
        assertThat(SCREENS.last(1).steps()).containsExactly(THIRD, END);
        assertThat(SCREENS.last(2).steps()).containsExactly(SECOND, TAP, THIRD, END);
        assertThat(SCREENS.last(2).screenshots())
                .containsExactly(new TraceStep.Screenshot("2.png"), new TraceStep.Screenshot("3.png"));
    }

    @Test
    void nothingIsCutWhereThereAreNoMoreScreenshots() {
        assertThat(SCREENS.last(3)).isSameAs(SCREENS);
        assertThat(SCREENS.last(10)).isSameAs(SCREENS);
    }

    @Test
    void wordsAndScreenshotsAreTold() {
        assertThat(SCREENS.texts()).containsExactly("tap", "tap", "tap", "end");
        assertThat(SCREENS.steps())
                .extracting(step -> step.text(shot -> "read " + shot.path()))
                .startsWith("tap", "read 1.png");
    }

    @Test
    void aTrajectoryToldInWordsHasCaptionsAloneAndIsNeverCut() {
        Trajectory captions = Trajectory.ofTexts(List.of("tap", "end"));
        assertThat(captions).isEqualTo(new Trajectory(List.of(TAP, END)));
        assertThat(captions.screenshots()).isEmpty();
        assertThat(captions.last(1)).isSameAs(captions);
    }

    @Test
    void whatHasNoStepIsShownAsOneBlankText() {
        assertThat(new Trajectory(List.of()).orBlank()).isEqualTo(Trajectory.BLANK);
        assertThat(Trajectory.BLANK.texts()).containsExactly("");
        assertThat(SCREENS.orBlank()).isSameAs(SCREENS);
    }
}
