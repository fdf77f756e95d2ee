package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.generate.SamplingParams.LogitChanges;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The text of responses with single-byte tokens. */
class ResponseTextTest {
    private static final int END = 300;

    @TempDir
    private Path directory;

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

    private ResponseText text(int least, String... stops) {
        StoppingCriteria ending = new StoppingCriteria(Set.of(END), List.of(stops), tokenizer::decodeText);
        SamplingParams params =
                new SamplingParams(100, null, 1, ending, false, 0, false, new LogitChanges(0, 0, Map.of(), least));
        return new ResponseText(params, tokenizer::decodeText, new long[] {65, 66});
    }

    /** Returns the text after each token, and at the end. */
    private List<String> pieces(ResponseText text, String written) {
        List<String> pieces = new ArrayList<>();
        for (long id : tokenizer.encodePlain(written)) {
            pieces.add(text.add(id));
        }
        pieces.add(text.end());
        return pieces;
    }

    @Test
    void aCharacterComesOutWhenItIsWhole() {
        assertThat(pieces(text(0), "a好b")).containsExactly("a", "", "", "好", "b", "");
        assertThat(pieces(text(0), "🎷")).containsExactly("", "", "", "🎷", "");
    }

    @Test
    void whatMayBeginAStopTextWaits() {
        ResponseText stopped = text(0, "cde");
        assertThat(pieces(stopped, "abcdef")).containsExactly("a", "b", "", "", "", "", "");
        assertThat(stopped.stop()).isEqualTo("cde");
        ResponseText free = text(0, "cde");
        assertThat(pieces(free, "abcdxc")).containsExactly("a", "b", "", "", "cdx", "", "c");
        assertThat(free.stop()).isNull();
        ResponseText repeated = text(0, "aab");
        assertThat(String.join("", pieces(repeated, "xaaab"))).isEqualTo("xa");
    }

    @Test
    void theFirstStopTextCuts() {
        ResponseText text = text(0, "束了", "结束");
        assertThat(String.join("", pieces(text, "好结束了"))).isEqualTo("好");
        assertThat(text.stop()).isEqualTo("结束");
    }

    @Test
    void aStopTextBeforeTheLeastLengthIsText() {
        ResponseText text = text(3, "b");
        assertThat(pieces(text, "abcbd")).containsExactly("a", "b", "c", "", "", "");
        assertThat(text.stop()).isEqualTo("b");
    }

    @Test
    void theTokenThatEndsHasNoText() {
        ResponseText text = text(0);
        assertThat(text.add('a')).isEqualTo("a");
        assertThat(text.add(END)).isEmpty();
        assertThat(text.end()).isEmpty();
    }

    @Test
    void bytesThatNeverBecomeACharacterComeAtTheEnd() {
        ResponseText text = text(0);
        text.add('a');
        assertThat(text.add(tokenizer.encodePlain("好")[0])).isEmpty();
        assertThat(text.end()).isEqualTo("\uFFFD");
    }

    @Test
    void piecesJoinedAreTheTextBeforeTheStop() {
        Random random = new Random(4);
        String[] scraps = {"a", "b", "好", "🎷", " ", "ab", "结"};
        for (int round = 0; round < 300; round++) {
            StringBuilder whole = new StringBuilder();
            for (int i = 0; i < 12; i++) {
                whole.append(scraps[random.nextInt(scraps.length)]);
            }
            String stop = scraps[random.nextInt(3)] + scraps[random.nextInt(scraps.length)];
            String expected = whole.indexOf(stop) < 0 ? whole.toString() : whole.substring(0, whole.indexOf(stop));
            assertThat(String.join("", pieces(text(0, stop), whole.toString())))
                    .as("%s in %s", stop, whole)
                    .isEqualTo(expected);
        }
    }
}
