package dev.prpf.par.serve.openai;

import dev.prpf.data.encode.text.TextEncoder.TokenEncoder;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.commons.lang3.StringUtils;

/** Counts a text's letters a and b; a token is a letter, its id its place in the alphabet. */
public final class LetterEncoder implements TokenEncoder {
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

    @Override
    public int vocabularySize() {
        return 26;
    }

    @Override
    public int tokensOf(String text) {
        return text.length();
    }

    @Override
    public int tokensOf(long[] ids) {
        return ids.length;
    }

    @Override
    public float[] encodeIds(long[] ids, Consumer<Runnable> turn) {
        String text = LongStream.of(ids)
                .mapToObj(id -> Character.toString('a' + (int) id))
                .collect(Collectors.joining());
        return encodeLong(text, turn);
    }

    private static float count(String text, char letter) {
        return StringUtils.countMatches(text, letter);
    }

    @Override
    public void close() {}
}
