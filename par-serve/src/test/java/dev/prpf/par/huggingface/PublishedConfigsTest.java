package dev.prpf.par.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.vision.VisionConfig;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Configurations as transformers 4.40 to 5.23 write them ({@code make_configs.py}). */
class PublishedConfigsTest {
    /** Name of the family, version of transformers, its config.json, and that of the newest version. */
    static Stream<Arguments> forms() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(PublishedConfigsTest.class.getResourceAsStream("published_configs.json"))) {
            JsonNode families = new ObjectMapper().readTree(in);
            return families.properties().stream().flatMap(family -> family.getValue().properties().stream()
                    .map(form -> arguments(
                            family.getKey(),
                            form.getKey(),
                            form.getValue(),
                            family.getValue().path("5.23.0"))));
        }
    }

    @ParameterizedTest(name = "{0} of transformers {1}")
    @MethodSource("forms")
    void everyVersionsFormIsTheSameModel(String family, String version, JsonNode form, JsonNode newest) {
        DecoderConfig config = DecoderConfigJson.read(family + " of " + version, form);
        DecoderConfig expected = DecoderConfigJson.read(family, newest);

        assertThat(config).isEqualTo(expected);
        assertThat(config.hiddenSize()).isEqualTo(64);
        assertThat(config.maxPositions()).isEqualTo(1024);
        assertThat(config.tokens().end()).containsExactly(5);
        assertThat(config.tiedEmbeddings()).isTrue();
        VisionConfig vision = VisionConfigJson.read(family, form, config);
        assertThat(vision).isEqualTo(VisionConfigJson.read(family, newest, expected));
        assertThat(vision == null).isEqualTo(!newest.has("vision_config"));
    }
}
