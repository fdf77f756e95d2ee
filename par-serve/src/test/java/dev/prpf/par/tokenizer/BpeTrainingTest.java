package dev.prpf.par.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary;
import dev.prpf.par.tokenizer.Tokenizer.ByteAlphabet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BpeTrainingTest {
    private static final List<BpeVocabulary.ControlToken> CONTROL =
            List.of(new BpeVocabulary.ControlToken("<|im_end|>", true));

    private static BpeVocabulary train(int vocabulary, int maxCharacters, List<String> words, String... texts) {
        BpeTraining training = new BpeTraining(new BpeTraining.Settings(vocabulary, 2, maxCharacters), words, CONTROL);
        for (String text : texts) {
            training.add(text);
        }
        return training.train();
    }

    private static String bytes(String text) {
        StringBuilder token = new StringBuilder();
        for (int b : ByteAlphabet.symbols(text)) {
            token.append(ByteAlphabet.of(b));
        }
        return token.toString();
    }

    @Test
    void theMostFrequentPairIsMergedFirst() {
        BpeVocabulary vocabulary = train(300, 6, List.of(), "ab ab ab ab bc bc");
        assertThat(vocabulary.merges()).startsWith("a b", "Ġ ab", "Ġ b", "Ġb c");
        assertThat(vocabulary.tokens())
                .hasSize(256 + vocabulary.merges().size())
                .contains("Ġab");
    }

    @Test
    void charactersAreMergedBeforeWords() {
        BpeVocabulary vocabulary = train(400, 6, List.of(), "火车站，火车站，火车票，火车票");
        int lastCharacter = vocabulary.tokens().indexOf(bytes("票"));
        assertThat(vocabulary.tokens()).contains(bytes("火"), bytes("车"), bytes("站"), bytes("火车"));
        assertThat(vocabulary.tokens().indexOf(bytes("火车"))).isGreaterThan(lastCharacter);
    }

    @Test
    void tokensAreBoundedAndDoNotCrossMarks() {
        String text = "今天下午三点去火车站接朋友。“今天下午三点”，";
        BpeVocabulary vocabulary = train(1000, 3, List.of(), text.repeat(5));
        assertThat(vocabulary.tokens()).contains(bytes("今天")).doesNotContain(bytes("今天下午"), bytes("“今天"), bytes("，“"));
        assertThat(train(1000, 6, List.of(), text.repeat(5)).tokens()).contains(bytes("今天下午三点"));
    }

    @Test
    void theSameTextGivesTheSameVocabulary() {
        Random random = new Random(3);
        String[] texts = new String[200];
        for (int i = 0; i < texts.length; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = 0; j < 30; j++) {
                text.appendCodePoint(0x4E00 + random.nextInt(40));
            }
            texts[i] = text.toString();
        }
        assertThat(train(800, 4, List.of("一丁"), texts)).isEqualTo(train(800, 4, List.of("一丁"), texts));
    }

    @Test
    void incrementalCountsEqualCountingAgain() {
        Random random = new Random(4);
        BpeTraining training = new BpeTraining(new BpeTraining.Settings(330, 1, 6), List.of(), CONTROL);
        java.util.List<int[]> words = new java.util.ArrayList<>();
        for (int i = 0; i < 60; i++) {
            StringBuilder word = new StringBuilder();
            for (int j = 0; j < 3 + random.nextInt(9); j++) {
                word.append((char) ('a' + random.nextInt(4)));
            }
            training.add(word.toString());
            words.add(ByteAlphabet.symbols(word.toString()));
        }
        assertThat(training.train().merges()).isEqualTo(SlowBpe.merges(words, 330 - 257));
    }

    @Test
    void addedWordsAreNotMergedAndRareOnesOmitted() {
        BpeVocabulary vocabulary =
                train(400, 6, List.of("火车站", "set_alarm", "x", " y", "<z>", "café"), "火车站火车站 set_alarm set_alarm");
        assertThat(vocabulary.words()).containsExactly("火车站", "set_alarm");
        assertThat(vocabulary.tokens()).doesNotContain(bytes("火车"), "se");
        assertThat(vocabulary.size()).isEqualTo(vocabulary.tokens().size() + 3);
    }

    @Test
    void vocabularyTooSmallForItsWordsIsRejected() {
        List<String> words = java.util.stream.IntStream.range(0, 100)
                .mapToObj(i -> "word" + i)
                .toList();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> train(300, 6, words, "a"))
                .withMessageContaining("100 words")
                .withMessageContaining("357");
    }
}
