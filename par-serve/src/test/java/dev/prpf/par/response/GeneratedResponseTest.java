package dev.prpf.par.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratedResponseTest {
    @TempDir
    private Path directory;

    private GeneratedResponse read(String written, FinishReason finish, ResponseForm form) {
        SmallTokenizer.write(directory);
        try (Tokenizer tokenizer = Tokenizer.load(directory)) {
            long[] ids = tokenizer.encodeControl(written);
            float[] none = new float[ids.length];
            return GeneratedResponse.of(new Generation(ids, none, none, none, finish), tokenizer, form);
        }
    }

    @Test
    void endTokenIsNotText() {
        String silence = "<recommendations>[]</recommendations>";
        GeneratedResponse read = read(silence + "<|im_end|>", FinishReason.END_TOKEN, ResponseForm.BARE);

        assertThat(read.text()).isEqualTo(silence);
        assertThat(((ParResponse.Parsed) read.parsed()).calls()).isEmpty();
        assertThat(read.finish()).isEqualTo(FinishReason.END_TOKEN);
        assertThat(read.length()).as("two tags, two brackets, the end").isEqualTo(5);
    }

    @Test
    void truncatedResponseIsRecognised() {
        GeneratedResponse read = read("<recommendations>[", FinishReason.LENGTH, ResponseForm.BARE);

        assertThat(read.text()).isEqualTo("<recommendations>[");
        assertThat(read.finish()).isEqualTo(FinishReason.LENGTH);
        assertThat(read.parsed()).isInstanceOf(ParResponse.Malformed.class);
    }

    @Test
    void theFormAskedForDecides() {
        String reasoned = "<thinking>无</thinking><recommendations>[]</recommendations><|im_end|>";

        assertThat(read(reasoned, FinishReason.END_TOKEN, ResponseForm.TEXT).parsed())
                .isInstanceOf(ParResponse.Parsed.class);
        assertThat(read(reasoned, FinishReason.END_TOKEN, ResponseForm.BARE).parsed())
                .isEqualTo(new ParResponse.Malformed(0, "<thinking> has no place in a response of the form BARE"));
    }
}
