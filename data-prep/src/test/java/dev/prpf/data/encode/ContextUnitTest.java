package dev.prpf.data.encode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import org.junit.jupiter.api.Test;

class ContextUnitTest {
    @Test
    void aTextIsOnePart() {
        assertThat(ContextUnit.TEXT.parts("电量9%。信号6格。")).containsExactly("电量9%。信号6格。");
    }

    @Test
    void chineseSentencesEndWithTheirMarks() {
        assertThat(ContextUnit.SENTENCE.parts("不希望手机过问办公文件。通勤要15分钟。写字喜欢用钢笔？"))
                .containsExactly("不希望手机过问办公文件。", "通勤要15分钟。", "写字喜欢用钢笔？");
    }

    @Test
    void westernSentencesEndBeforeASpaceAndNumbersStayWhole() {
        assertThat(ContextUnit.SENTENCE.parts("Battery at 15.5%. It is 8:30 pm! Wind 3."))
                .containsExactly("Battery at 15.5%.", "It is 8:30 pm!", "Wind 3.");
    }

    @Test
    void linesAreSentencesAndBlankOnesAreNone() {
        assertThat(ContextUnit.SENTENCE.parts("time: 8\n\n  place: home \r\n"))
                .containsExactly("time: 8", "place: home");
    }

    @Test
    void aBlankTextIsOnePartTooSoThatThereIsAVector() {
        assertThat(ContextUnit.SENTENCE.parts("")).containsExactly("");
        assertThat(ContextUnit.SENTENCE.parts(" 。")).containsExactly("。");
    }
}
