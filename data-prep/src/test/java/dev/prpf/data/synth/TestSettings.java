package dev.prpf.data.synth;

import dev.prpf.data.Language;

/** Settings of tests: the defaults with another language and share of samples with screenshots. */
public final class TestSettings {
    private TestSettings() {}

    public static SynthSettings of(long seed, int count, String split, double multimodalShare, Language language) {
        SynthSettings defaults = SynthSettings.defaults(seed, count, split);
        return new SynthSettings(
                seed,
                count,
                split,
                language,
                false,
                multimodalShare,
                defaults.silentShare(),
                defaults.distractors(),
                defaults.screens(),
                defaults.difficulty(),
                null);
    }
}
