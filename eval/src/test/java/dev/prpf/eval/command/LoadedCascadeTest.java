package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.InvalidConfigurationException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadedCascadeTest {
    @Test
    void whatWasLoadedBeforeARefusalIsClosedLatestFirst() {
        List<String> closed = new ArrayList<>();

        assertThatThrownBy(() -> LoadedCascade.closingIfRefused(
                        () -> closed.add("encoder"),
                        encoder -> LoadedCascade.closingIfRefused(
                                () -> {
                                    closed.add("model");
                                    throw new IllegalStateException("close failed");
                                },
                                model -> {
                                    throw new InvalidConfigurationException("another catalogue");
                                })))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage("another catalogue")
                .hasSuppressedException(new IllegalStateException("close failed"));

        assertThat(closed).containsExactly("model", "encoder");
    }

    @Test
    void whatIsTakenStaysOpen() {
        List<String> closed = new ArrayList<>();
        AutoCloseable part = () -> closed.add("part");
        String made = LoadedCascade.closingIfRefused(part, open -> "made");
        assertThat(made).isEqualTo("made");
        assertThat(closed).isEmpty();
    }
}
