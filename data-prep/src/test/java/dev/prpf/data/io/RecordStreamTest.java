package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.io.RecordStream.RawRecord;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RecordStreamTest {
    private static RawRecord single(String line) {
        return RecordStream.single(7, line.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aRecordThatStandsAloneIsReadAsInAFile() {
        RawRecord record = single(" {\"a\":{\"b\":1,\"b\":2},\"c\":NaN,\"d\":\"一\"} ");
        assertThat(record.index()).isEqualTo(7);
        assertThat(record.json().at("/a/b").intValue()).isEqualTo(1);
        assertThat(record.json().at("/d").textValue()).isEqualTo("一");
        assertThat(record.defects())
                .extracting(defect -> defect.rule() + " " + defect.path())
                .containsExactly("duplicate-key /a/b", "non-finite-number /c");
        assertThat(record.unreadable()).containsExactly("/c");
    }

    private static void refuses(String line, String rule, String words) {
        assertThatThrownBy(() -> single(line)).isInstanceOfSatisfying(MalformedFileException.class, refused -> {
            assertThat(refused.defect().rule()).isEqualTo(rule);
            assertThat(refused.defect().message()).contains(words);
        });
    }

    @Test
    void aLineThatIsNotOneValueIsRefused() {
        refuses("", "empty-file", "the line is empty, must hold a JSON value");
        refuses("{\"a\":", "truncated-json", "the JSON is truncated");
        refuses("{\"a\":x}", "malformed-json", "this is not JSON at line 1, column 6");
        refuses("{} {}", "trailing-content", "more follows after the end of the JSON value");
        assertThatThrownBy(() -> RecordStream.single(0, new byte[] {'"', (byte) 0xff, '"'}))
                .isInstanceOf(MalformedFileException.class)
                .hasMessageContaining("this is not JSON");
    }
}
