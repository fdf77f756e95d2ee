package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.encode.spec.ShippedEncoders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A suite's gates see the vectors of the encoder that it is given, and its tables name that one. */
class SuiteEncoderTest {
    @TempDir
    Path folder;

    @Test
    void anotherTextEncoderIsNamedAndNoRowSaysBge() throws IOException {
        MadeBenchmarks.contextAgent(folder);
        DataFolder data = DataFolder.of(ContextAgent.SUITE, folder, Map.of());

        SuiteResult result = ContextAgent.SUITE.protocol().apply(data, LetterEncoder::new);

        assertThat(result.textEncoder()).isEqualTo("letters");
        assertThat(MadePoints.rows(result.primary()))
                .extracting(SuiteRow::name)
                .contains("embedding + LR", "embedding + LR, highest F1 inside")
                .noneMatch(name -> name.contains("BGE"));
        assertThat(result.inner())
                .extracting(SuiteResult.InnerScore::name)
                .contains("embedding + LR, C = 10")
                .noneMatch(name -> name.contains("BGE"));
        assertThat(result.text()).contains("\nText encoder: letters\n").doesNotContain("BGE");
    }

    @Test
    void theScaleGivesEntriesOfVarianceOneWhateverTheWidth() {
        assertThat(ContextAgent.perceiver(384).scale()).isEqualTo(Math.sqrt(384));
        assertThat(ContextAgent.perceiver(512).scale()).isEqualTo(Math.sqrt(512));
    }

    @Test
    void vectorsOfTheDefaultEncoderAreCalledBge() {
        List<DecisionPoint> points = MadePoints.traces(2, 2);
        String id = ShippedEncoders.DEFAULT + "-fp32-0123abcd-mean-of-windows";

        assertThat(new EventVectors(id, 1, Map.of()).name()).isEqualTo("BGE");
        assertThat(EventVectors.of(points, LetterEncoder::new).name()).isEqualTo("embedding");
    }
}
