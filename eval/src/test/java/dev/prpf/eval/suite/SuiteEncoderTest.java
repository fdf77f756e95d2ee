package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.text.TextEncoder;
import dev.prpf.eval.suite.GateSuite.SuiteEncoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A suite's gates use the vectors of the given encoder, and its tables name that encoder. */
@Tag("slow")
class SuiteEncoderTest {
    @TempDir
    Path folder;

    @Test
    void everyEncoderHasItsMemberAndIsNamed() throws IOException {
        MadeBenchmarks.contextAgent(folder);
        DataFolder data = DataFolder.of(ContextAgent.SUITE, folder, Map.of());

        SuiteResult result = ContextAgent.SUITE.protocol().apply(data, List.of(LetterEncoder.LETTERS, HALVES));

        assertThat(result.textEncoder()).isEqualTo("letters, halves");
        assertThat(MadePoints.rows(result.primary()))
                .extracting(SuiteRow::name)
                .contains("letters + LR", "halves + LR", "all encoders + LR, highest F1 inside");
        assertThat(result.inner())
                .extracting(SuiteResult.InnerScore::name)
                .containsExactly(
                        "MPP",
                        "naive Bayes",
                        "TF-IDF + LR",
                        "letters + LR",
                        "halves + LR",
                        "all encoders + LR",
                        "mixture",
                        "mixture with MPP");
        assertThat(result.text()).contains("\nText encoder: letters, halves\n");
    }

    @Test
    void joinedVectorsStandBehindEachOtherAndKeepTheirLength() {
        List<DecisionPoint> points = MadePoints.traces(2, 2);
        List<EventVectors> both = EventVectors.of(points, List.of(LetterEncoder.LETTERS, HALVES));

        EventVectors joined = EventVectors.joined(both);

        String text = points.get(0).lastText();
        assertThat(joined.width()).isEqualTo(28);
        assertThat(joined.name()).isEqualTo("letters, halves");
        assertThat(joined.of(text)[26]).isEqualTo(both.get(1).of(text)[0] / (float) Math.sqrt(2), within(1e-6f));
        assertThat(joined.of(text)[3]).isEqualTo(both.get(0).of(text)[3] / (float) Math.sqrt(2), within(1e-6f));
        assertThat(joined.of(" ")).containsOnly(0f).hasSize(28);
        assertThat(EventVectors.joined(both.subList(0, 1)).of(text))
                .isEqualTo(both.get(0).of(text));
    }

    @Test
    void theScaleGivesEntriesOfVarianceOneWhateverTheWidth() {
        assertThat(ContextAgent.perceiver(384).scale()).isEqualTo(Math.sqrt(384));
        assertThat(ContextAgent.perceiver(512).scale()).isEqualTo(Math.sqrt(512));
    }

    /** Encodes texts as two floats: the shares of letters from the first and second half of the alphabet. */
    private static final SuiteEncoder HALVES = new SuiteEncoder("halves", Halves::new);

    private static final class Halves implements TextEncoder {
        @Override
        public String id() {
            return "halves";
        }

        @Override
        public int width() {
            return 2;
        }

        @Override
        public float[][] encode(List<String> texts) {
            return texts.stream()
                    .map(text -> {
                        float first = text.chars().filter(c -> c < 'n').count();
                        return new float[] {first / text.length(), 1 - first / text.length()};
                    })
                    .toArray(float[][]::new);
        }

        @Override
        public void close() {}
    }
}
