package dev.prpf.base.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClosingTest {
    @Test
    void whatWasLoadedBeforeARefusalIsClosedLatestFirst() {
        List<String> closed = new ArrayList<>();

        assertThatThrownBy(() -> Closing.ifRefused(
                        () -> closed.add("encoder"),
                        encoder -> Closing.ifRefused(
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
        String made = Closing.ifRefused(part, open -> "made");
        assertThat(made).isEqualTo("made");
        assertThat(closed).isEmpty();
    }

    @Test
    void anError_closesThePartToo() {
        List<String> closed = new ArrayList<>();
        assertThatThrownBy(() -> Closing.ifRefused(() -> closed.add("model"), model -> {
                    throw new OutOfMemoryError("heap");
                }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(closed).containsExactly("model");
    }

    @Test
    void allParts_areClosedDespiteFailures() {
        List<String> closed = new ArrayList<>();
        Runnable broken = () -> {
            closed.add("client");
            throw new IllegalStateException("close failed");
        };
        Runnable worse = () -> {
            closed.add("model");
            throw new OutOfMemoryError("heap");
        };
        assertThatThrownBy(() -> Closing.all(List.of(() -> closed.add("journal"), broken, worse)))
                .isInstanceOf(OutOfMemoryError.class)
                .hasSuppressedException(new IllegalStateException("close failed"));
        assertThat(closed).containsExactly("model", "client", "journal");
    }

    @Test
    void allParts_areClosedOnce() {
        List<String> closed = new ArrayList<>();
        Closing.all(List.of(() -> closed.add("journal"), () -> closed.add("client")));
        assertThat(closed).containsExactly("client", "journal");
    }
}
