package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.split.NearDuplicates;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SampleTextsTest {
    private static Sample sample(DeviceContext context, TraceStep... steps) {
        return new Sample("s", 1, null, null, context, new Trajectory(List.of(steps)), null);
    }

    @Test
    void screenshotsAreTheirTextAndBlankTextsAreSkipped() {
        DeviceContext context = new DeviceContext("a nurse", " ", "rain");
        SampleTexts texts = SampleTexts.of(
                sample(context, new TraceStep.Caption("opens maps"), new TraceStep.Screenshot("a.png")),
                screenshot -> "on " + screenshot.path());

        assertThat(texts.steps()).containsExactly("opens maps", "on a.png");
        assertThat(texts.words(true)).isEqualTo("a nurse\nrain\nopens maps\non a.png");
        assertThat(texts.words(false)).isEqualTo("a nurse\nrain\non a.png");
        assertThat(texts.blocks())
                .containsExactly(
                        List.of("a nurse"),
                        List.of(),
                        List.of("rain"),
                        List.of("on a.png"),
                        List.of("opens maps", "on a.png"));
    }

    @Test
    void aBlankLastStepIsBlankAndTheOthersStillHaveAMean() {
        SampleTexts texts = SampleTexts.of(
                sample(new DeviceContext("", "", ""), new TraceStep.Caption("first"), new TraceStep.Caption("")),
                screenshot -> "");

        assertThat(texts.blocks()).containsExactly(List.of(), List.of(), List.of(), List.of(), List.of("first"));
        assertThat(texts.words(true)).isEqualTo("first");
        assertThat(texts.words(false)).isEmpty();
    }

    @Test
    void imagesWithTheSameTextDifferByPath() {
        Sample one = sample(new DeviceContext("u", "", ""), new TraceStep.Screenshot("a.png"));
        Sample other = sample(new DeviceContext("u", "", ""), new TraceStep.Screenshot("b.png"));
        SampleTexts texts = SampleTexts.of(one, screenshot -> "");

        assertThat(texts).isEqualTo(SampleTexts.of(other, screenshot -> ""));
        assertThat(texts.fields(List::of, one.trajectory().screenshots()))
                .isNotEqualTo(texts.fields(List::of, other.trajectory().screenshots()))
                .hasSize(5);
    }

    /** Each sample holds all earlier events: neighbours share nearly all terms, except those of the latest event. */
    @Test
    void samplesOfAGrowingLogAreNoNearDuplicates() {
        List<String> events = new ArrayList<>();
        List<List<Set<String>>> moments = new ArrayList<>();
        for (int t = 0; t < 40; t++) {
            events.add("opens app" + t + " and reads page" + t);
            moments.add(fields(events));
        }
        assertThat(new HashSet<>(NearDuplicates.groups(moments))).hasSize(40);

        events.add(events.get(39));
        moments.add(fields(events));
        assertThat(NearDuplicates.groups(moments).get(40)).isEqualTo(39);
    }

    private static List<Set<String>> fields(List<String> events) {
        return new SampleTexts(List.of("", "", ""), events).fields(text -> List.of(text.split("\\s+")), List.of());
    }

    @Test
    void aSampleWithoutStepsIsRefused() {
        assertThatThrownBy(() -> SampleTexts.of(sample(new DeviceContext("u", "p", "w")), screenshot -> ""))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage("sample s has an empty trajectory, at least one step is needed; `data validate` lists such"
                        + " records");
    }
}
