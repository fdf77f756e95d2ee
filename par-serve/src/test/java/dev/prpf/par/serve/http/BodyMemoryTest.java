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
        first.hold(60 * BodyMemory.EACH);
        first.hold(30 * BodyMemory.EACH);
        BodyMemory.Share second = memory.share("a");
        second.hold(10 * BodyMemory.EACH);
        assertThatThrownBy(() -> second.hold(1 * BodyMemory.EACH))
                .isInstanceOf(ApiException.class)
                .hasMessage("long bodies and answers fill the memory, or the share of one key; try again later")
                .extracting(e -> ((ApiException) e).status())
                .isEqualTo(503);
        second.release();
        first.release();
        first.release();
        BodyMemory.Share third = memory.share("a");
        third.hold(50 * BodyMemory.EACH);
        assertThatCode(() -> memory.share("a").hold(50 * BodyMemory.EACH)).doesNotThrowAnyException();
    }

    @Test
    void nodesOfJsonCountToo() {
        BodyMemory.Share first = memory.share("a");
        first.hold(9 * BodyMemory.EACH_TOKEN);
        assertThatCode(() -> memory.share("a").hold(10 * BodyMemory.EACH)).doesNotThrowAnyException();
        assertThatThrownBy(() -> memory.share("a").hold(1 * BodyMemory.EACH_TOKEN))
                .isInstanceOf(ApiException.class);
    }

    @Test
    void oneThatIsAloneGetsWhatItNeeds() {
        BodyMemory.Share alone = memory.share("a");
        assertThatCode(() -> alone.hold(1000 * BodyMemory.EACH)).doesNotThrowAnyException();
        assertThatThrownBy(() -> memory.share("a").hold(1 * BodyMemory.EACH)).isInstanceOf(ApiException.class);
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
