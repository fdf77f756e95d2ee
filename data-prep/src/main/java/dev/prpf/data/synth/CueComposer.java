package dev.prpf.data.synth;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Language;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.synth.SynthSample.CueScreen;
import dev.prpf.data.synth.SynthSample.Temper;
import dev.prpf.data.synth.SynthSettings.VisualCues;
import java.util.List;

/**
 * Composes a sample in which only the look of the screenshot decides the answer. No text depends on the answer, not even texts
 * on the screen.
 */
record CueComposer(Draw draw, VisualCue cue, VisualCues size) {
    /** No option is lit, which means silence. */
    static final int NONE = -1;

    private static final int EASY = 1;

    /** @param lit the option that is lit, or {@link #NONE} */
    SynthSample compose(String id, String split, int lit) {
        Language language = draw.language();
        DistractorBank bank = new DistractorBank(draw);
        DayTime now = new DayTime(draw.random().nextInt(DayTime.FIRST, DayTime.LAST + 1));
        String clock = draw.of(draw.library().sentences("now")).replace("{now}", now.in(language));
        DeviceContext context = new DeviceContext(
                language.paragraph(List.of(bank.sentence("profile"))),
                language.paragraph(List.of(bank.sentence("phone"))),
                language.paragraph(List.of(clock)));
        SynthSample.Screen screen = screen("images/" + id + ".png", now, lit);
        Sample sample = new Sample(
                id,
                EASY,
                split,
                draw.library().scenarioOf(cue.options().get(0).function()),
                context,
                new Trajectory(List.of(new TraceStep.Screenshot(screen.path()))),
                answers(lit));
        int texts = context.texts().stream().mapToInt(Evidence::length).sum();
        Temper temper = lit == NONE ? Temper.UNEVENTFUL : Temper.OPEN_NEED;
        return new SynthSample(sample, temper, 0, texts, List.of(screen));
    }

    private List<Recommendation> answers(int lit) {
        return lit == NONE ? List.of() : List.of(cue.options().get(lit).answer(draw.language()));
    }

    private SynthSample.Screen screen(String path, DayTime now, int lit) {
        Language language = draw.language();
        String title = cue.title().in(language);
        List<String> captions =
                cue.captions().stream().map(label -> label.in(language)).toList();
        return new SynthSample.Screen(
                path,
                title,
                captions,
                title,
                captions,
                now.digits(),
                draw.random().nextLong(),
                new CueScreen(cue.kind(), cue.options().size(), lit, size.width(), size.height()));
    }
}
