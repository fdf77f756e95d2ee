package dev.prpf.eval.suite;

import dev.prpf.data.encode.text.TextEncoder;
import dev.prpf.eval.suite.GateSuite.SuiteEncoder;
import java.util.List;

/** Counts letters: a text encoder without weights. */
final class LetterEncoder implements TextEncoder {
    /** The letter encoder as a suite encoder. */
    static final SuiteEncoder LETTERS = new SuiteEncoder("letters", LetterEncoder::new);

    @Override
    public String id() {
        return "letters";
    }

    @Override
    public int width() {
        return 26;
    }

    @Override
    public float[][] encode(List<String> texts) {
        return texts.stream().map(LetterEncoder::counts).toArray(float[][]::new);
    }

    private static float[] counts(String text) {
        float[] counts = new float[26];
        text.chars().filter(c -> c >= 'a' && c <= 'z').forEach(c -> counts[c - 'a'] += 1f / text.length());
        return counts;
    }

    @Override
    public void close() {}
}
