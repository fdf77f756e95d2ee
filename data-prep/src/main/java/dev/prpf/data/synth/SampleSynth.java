package dev.prpf.data.synth;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Language;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.synth.Binding.DayTime;
import dev.prpf.data.synth.SampleComposer.DistractorBank;
import dev.prpf.data.synth.SynthLibrary.VisualCue;
import dev.prpf.data.synth.SynthSample.CueScreen;
import dev.prpf.data.synth.SynthSample.Temper;
import dev.prpf.data.synth.SynthSettings.VisualCues;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Generates samples in ProactiveMobile's format with answers known by construction. Sample i depends only on the settings and i,
 * in any order and from any thread. No state is kept between samples.
 */
public final class SampleSynth {
    /** A constant of SplitMix64, to spread seeds and indices. */
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private final SynthSettings settings;
    private final SynthLibrary library;

    /**
     * @param catalog the scenarios and the map from the pool's functions to them
     */
    public SampleSynth(SynthSettings settings, ScenarioCatalog catalog) {
        this.settings = settings;
        this.library = new SynthLibrary(catalog, settings.names());
    }

    public SynthSettings settings() {
        return settings;
    }

    /** Returns the sample of an index, 0 or more; indices beyond the settings' count are valid, too. */
    public SynthSample sample(int index) {
        Draw draw = new Draw(library, settings.language(), new SplittableRandom(seed(index)));
        String id = String.format(Locale.ROOT, "%s-%d-%06d", settings.split(), settings.seed(), index);
        VisualCues cues = settings.visualCues();
        if (cues != null && draw.chance(cues.share())) {
            VisualCue cue = draw.from(library.cues());
            int lit = draw.chance(settings.silentShare())
                    ? CueComposer.NONE
                    : draw.random().nextInt(cue.options().size());
            return new CueComposer(draw, cue, cues).compose(id, settings.split(), lit);
        }
        return new SampleComposer(draw, new SamplePlanner(settings, draw).plan()).compose(id, settings.split());
    }

    /** Returns the samples 0 to count - 1, generated lazily. */
    public Stream<SynthSample> samples() {
        return IntStream.range(0, settings.count()).mapToObj(this::sample);
    }

    private long seed(int index) {
        return seed(settings, index);
    }

    static long seed(SynthSettings settings, int index) {
        long root = mix(settings.seed() ^ mix(settings.split().hashCode()));
        return mix(root + GOLDEN_GAMMA * (index + 1L));
    }

    private static long mix(long z) {
        long first = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long second = (first ^ (first >>> 27)) * 0x94D049BB133111EBL;
        return second ^ (second >>> 31);
    }

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
}
