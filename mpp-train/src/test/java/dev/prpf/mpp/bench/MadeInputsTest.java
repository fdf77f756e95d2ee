package dev.prpf.mpp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.spec.Precision;
import dev.prpf.data.onnx.OperationCount;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MadeInputsTest {
    private static final int LAYERS = 4;
    private static final long WIDTH = 512;
    private static final long INNER = 2048;

    @TempDir
    Path store;

    @Test
    void aTextHasSoManyTokensAndIsNew() {
        MadeInputs inputs = new MadeInputs(7);
        assertThat(inputs.text(64)).isNotEqualTo(inputs.text(64));
        try (SampleEncoder encoder = SampleEncoder.openForStream(settings())) {
            encoder.encodeTexts(List.of(inputs.text(64)));
            assertThat(encoder.tokens()).isEqualTo(64 + 2);
            encoder.encodeTexts(List.of(inputs.text(250)));
            assertThat(encoder.tokens()).isEqualTo(66 + 252);
        }
    }

    /**
     * BGE-small is a BERT of four layers: projections, attention over all pairs, feed-forward; its unused pooler is not in the file. The last
     * layer needs keys and values of all tokens and all else of [CLS] alone.
     */
    @Test
    void countedOperationsAreThoseOfTheArchitecture() {
        long tokens = 40;
        long n = tokens + 2;
        try (OperationCount count = OperationCount.open()) {
            try (SampleEncoder encoder = SampleEncoder.open(settings())) {
                encoder.encodeTexts(List.of(new MadeInputs(1).text((int) tokens)));
            }
            long layer = 2 * n * (4 * WIDTH * WIDTH + 2 * WIDTH * INNER) + 4 * n * n * WIDTH;
            long last = 2 * n * 2 * WIDTH * WIDTH + 2 * (2 * WIDTH * WIDTH + 2 * WIDTH * INNER) + 4 * n * WIDTH;
            assertThat(count.flops()).isEqualTo((LAYERS - 1) * layer + last);
        }
    }

    private EncoderSettings settings() {
        return new EncoderSettings(Precision.FP32, LongText.TRUNCATE, 2, store, null);
    }
}
