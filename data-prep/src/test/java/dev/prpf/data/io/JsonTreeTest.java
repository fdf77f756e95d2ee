package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class JsonTreeTest {
    private static final int PIECE = 1 << 20;

    /** Streams an array of strings of a million bytes each, generated lazily. */
    private static InputStream pieces(String charset, int count) {
        Charset encoding = Charset.forName(charset);
        int characters = PIECE / "a".getBytes(encoding).length;
        byte[] piece = ("\"" + "a".repeat(characters) + "\",").getBytes(encoding);
        List<InputStream> all = IntStream.rangeClosed(0, count + 1)
                .<InputStream>mapToObj(i -> new ByteArrayInputStream(
                        i == 0 ? "[".getBytes(encoding) : i <= count ? piece : "1]".getBytes(encoding)))
                .toList();
        return new SequenceInputStream(Collections.enumeration(all));
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16BE", "UTF-16LE", "UTF-32BE"})
    void aValueLongerThan64MegabytesIsRefusedInEveryEncoding(String charset) {
        assertThatThrownBy(() -> JsonTree.readStream(pieces(charset, 140), defect -> {}))
                .isInstanceOfSatisfying(
                        MalformedFileException.class,
                        refused -> assertThat(refused.defect().rule()).isEqualTo("record-too-large"))
                .hasMessageContaining("is longer than 67108864 bytes");
    }

    @Test
    void aLongValueBelowThatIsRead() throws IOException {
        assertThat(JsonTree.readStream(pieces("UTF-16BE", 20), defect -> {})).hasSize(21);
    }
}
