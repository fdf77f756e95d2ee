package dev.prpf.par.serve.openai;

import dev.prpf.data.encode.text.TextEncoder;
import java.util.List;
import org.apache.commons.lang3.StringUtils;

/** Counts a text's letters a and b. */
final class LetterEncoder implements TextEncoder {
    @Override
    public String id() {
        return "letters";
    }

    @Override
    public int width() {
        return 2;
    }

    @Override
    public float[][] encode(List<String> texts) {
        return texts.stream()
                .map(text -> new float[] {count(text, 'a'), count(text, 'b')})
                .toArray(float[][]::new);
    }

    private static float count(String text, char letter) {
        return StringUtils.countMatches(text, letter);
    }

    @Override
    public void close() {}
}
