package dev.prpf.data.synth;

import dev.prpf.data.ScenarioCatalog;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Makes samples in ProactiveMobile's format whose answers are known by construction. Sample i is a function of the settings and i
 * alone: asking for it twice, out of order or from several threads gives the same sample, and nothing is kept between two.
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
        this.library = new SynthLibrary(catalog);
    }

    public SynthSettings settings() {
        return settings;
    }

    /** The sample of that index, 0 or more; indices beyond the settings' count are valid too. */
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

    /** The samples 0 to count - 1, made as they are asked for. */
    public Stream<SynthSample> samples() {
        return IntStream.range(0, settings.count()).mapToObj(this::sample);
    }

    private long seed(int index) {
        long root = mix(settings.seed() ^ mix(settings.split().hashCode()));
        return mix(root + GOLDEN_GAMMA * (index + 1L));
    }

    private static long mix(long z) {
        long first = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long second = (first ^ (first >>> 27)) * 0x94D049BB133111EBL;
        return second ^ (second >>> 31);
    }
}
