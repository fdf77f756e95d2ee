package dev.prpf.data.synth;

import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.synth.SynthSettings.VisualCues;
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

    /** Returns the seed of an index under settings. */
    static long seed(SynthSettings settings, int index) {
        long root = mix(settings.seed() ^ mix(settings.split().hashCode()));
        return mix(root + GOLDEN_GAMMA * (index + 1L));
    }

    private static long mix(long z) {
        long first = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long second = (first ^ (first >>> 27)) * 0x94D049BB133111EBL;
        return second ^ (second >>> 31);
    }
}
