package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stop texts in what a tokenizer of bytes writes: every character of several bytes comes in pieces. */
class StopTextTest {
    @TempDir
    Path directory;

    private Tokenizer tokenizer;

    @BeforeEach
    void load() {
        SmallTokenizer.write(directory);
        tokenizer = Tokenizer.load(directory);
    }

    @AfterEach
    void close() {
        tokenizer.close();
    }

    private ResponseText watch(String... stops) {
        StoppingCriteria ending = new StoppingCriteria(Set.of(), List.of(stops), tokenizer::decodeText);
        return new ResponseText(new SamplingParams(20, null, 1, ending), tokenizer::decodeText, new long[] {65, 66});
    }

    private static boolean stopsAt(ResponseText watch, long id) {
        watch.add(id);
        return watch.stop() != null;
    }

    /** Tokens that were written when it stopped; 0 if it never did. */
    private int stopsAfter(String text, String... stops) {
        ResponseText watch = watch(stops);
        long[] ids = tokenizer.encodePlain(text);
        for (int i = 0; i < ids.length; i++) {
            if (stopsAt(watch, ids[i])) {
                return i + 1;
            }
        }
        return 0;
    }

    @Test
    void aTextIsFoundOverTheBordersOfTokensAndCharacters() {
        assertThat(tokenizer.encodePlain("结束")).as("six tokens of one byte").hasSize(6);
        assertThat(stopsAfter("好的结束了", "结束")).isEqualTo(12);
        assertThat(stopsAfter("a🎷b", "🎷")).isEqualTo(5);
        assertThat(stopsAfter("one\n\nmore", "\n\n")).isEqualTo(5);
        assertThat(stopsAfter("结果", "结束")).isZero();
    }

    @Test
    void theFirstOfSeveralEndsAndARepeatedBeginningIsNoMiss() {
        assertThat(stopsAfter("aab", "ab")).isEqualTo(3);
        assertThat(stopsAfter("aaab", "aab")).isEqualTo(4);
        assertThat(stopsAfter("xyz.End", "End", ".")).isEqualTo(4);
    }

    @Test
    void randomTextsStopWhereTheWholeTextFirstHoldsTheStop() {
        Random random = new Random(2);
        String[] scraps = {"a", "b", "好", "🎷", " ", "ab"};
        for (int round = 0; round < 300; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 12; i++) {
                text.append(scraps[random.nextInt(scraps.length)]);
            }
            String stop = scraps[random.nextInt(3)] + scraps[random.nextInt(scraps.length)];
            int at = text.indexOf(stop);
            int expected = at < 0 ? 0 : tokenizer.encodePlain(text.substring(0, at + stop.length())).length;
            assertThat(stopsAfter(text.toString(), stop))
                    .as("%s in %s", stop, text)
                    .isEqualTo(expected);
        }
    }

    @Test
    void bytesThatAreNoTextAreWaitedForAndDoNotHideWhatFollows() {
        long first = tokenizer.encodePlain("好")[0];
        ResponseText watch = watch("ok");
        assertThat(stopsAt(watch, first)).isFalse();
        assertThat(stopsAt(watch, first)).isFalse();
        assertThat(stopsAt(watch, tokenizer.encodePlain("o")[0])).isFalse();
        assertThat(stopsAt(watch, tokenizer.encodePlain("k")[0])).isTrue();
    }

    @Test
    void theTextEndsBeforeTheFirstStop() {
        StoppingCriteria ending = new StoppingCriteria(Set.of(), List.of("cd", "b"), tokenizer::decodeText);
        assertThat(ending.before("abcd")).isEqualTo("a");
        assertThat(ending.before("xyz")).isEqualTo("xyz");
        assertThatThrownBy(() -> new StoppingCriteria(Set.of(), List.of(""), tokenizer::decodeText))
                .hasMessageContaining("a stop text is empty");
        assertThatThrownBy(() -> new StoppingCriteria(Set.of(), List.of("a"), null))
                .hasMessageContaining("need the text");
    }
}
