package dev.prpf.base.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonNumbersTest {
    @Test
    void numbersHaveTheirPathAndArraysAndTextsAreLeftOut() throws IOException {
        assertThat(
                        JsonNumbers.of(
                                new ObjectMapper()
                                        .readTree(
                                                "{\"b\": 1, \"a\": {\"sr\": 56.5, \"name\": \"x\", \"none\": null}, \"curve\": [1, 2]}")))
                .containsExactly(Map.entry("b", 1.0), Map.entry("a.sr", 56.5));
    }

    @Test
    void whatIsNotThereHasNone() {
        assertThat(JsonNumbers.of(MissingNode.getInstance())).isEmpty();
    }
}
