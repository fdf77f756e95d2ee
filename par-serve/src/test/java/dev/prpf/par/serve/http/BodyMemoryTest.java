package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BodyMemoryTest {
    private final BodyMemory memory = new BodyMemory(new KeyShare(8 * 100, false));

    @Test
    void whatOthersHoldIsNotThereUntilTheyRelease() {
        BodyMemory.Share first = memory.share("a");
        first.take(60);
        first.take(30);
        BodyMemory.Share second = memory.share("a");
        second.take(10);
        assertThatThrownBy(() -> second.take(1))
                .isInstanceOf(ApiException.class)
                .hasMessage("long bodies and answers fill the memory, or the share of one key; try again later")
                .extracting(e -> ((ApiException) e).status())
                .isEqualTo(503);
        second.release();
        first.release();
        first.release();
        BodyMemory.Share third = memory.share("a");
        third.take(50);
        assertThatCode(() -> memory.share("a").take(50)).doesNotThrowAnyException();
    }

    @Test
    void nodesOfJsonCountToo() {
        BodyMemory.Share first = memory.share("a");
        first.takeTokens(9);
        assertThatCode(() -> memory.share("a").take(10)).doesNotThrowAnyException();
        assertThatThrownBy(() -> memory.share("a").takeTokens(1)).isInstanceOf(ApiException.class);
    }

    @Test
    void oneThatIsAloneGetsWhatItNeeds() {
        BodyMemory.Share alone = memory.share("a");
        assertThatCode(() -> alone.take(1000)).doesNotThrowAnyException();
        assertThatThrownBy(() -> memory.share("a").take(1)).isInstanceOf(ApiException.class);
    }

    @Test
    void aTraceHasClassesAndPlacesOfAllCauses() {
        Exception inner = new IllegalArgumentException("secret");
        Exception outer = new IllegalStateException("secret too", inner);
        inner.initCause(outer);
        assertThat(FaultTrace.of(outer))
                .startsWith("java.lang.IllegalStateException\n\tat dev.prpf.par.serve.http.BodyMemoryTest.")
                .containsOnlyOnce("Caused by: java.lang.IllegalArgumentException\n\tat ")
                .doesNotContain("secret");
    }
}
