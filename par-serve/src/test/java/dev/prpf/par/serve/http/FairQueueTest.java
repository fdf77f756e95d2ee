package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.serve.http.FairGate.FairQueue;
import org.junit.jupiter.api.Test;

class FairQueueTest {
    private final FairQueue<String> queue = new FairQueue<>();

    /** A key with one request at a time would otherwise wait for two parts of a key with many. */
    @Test
    void aKeyWithoutATurn_comesBeforeTheKeyOfTheCurrentTurn() {
        queue.countTurn("many");
        queue.add("many", "many 1");
        queue.add("one", "one 1");
        assertThat(queue.poll()).isEqualTo("one 1");
        queue.add("other", "other 1");
        queue.add("one", "one 2");
        queue.add("many", "many 2");
        assertThat(queue.poll()).isEqualTo("other 1");
        assertThat(queue.poll())
                .as("its last turn is longest ago, so that no key starves")
                .isEqualTo("many 1");
        assertThat(queue.poll()).isEqualTo("one 2");
        assertThat(queue.poll()).isEqualTo("many 2");
        assertThat(queue.poll()).isNull();
        assertThat(queue.size()).isZero();
    }
}
