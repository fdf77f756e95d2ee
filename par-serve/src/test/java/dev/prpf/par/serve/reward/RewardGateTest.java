package dev.prpf.par.serve.reward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.reward.RewardRoutes.RewardServiceSettings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RewardGateTest {
    private final FairGate one = RewardRoutes.gate(new RewardServiceSettings(1, 1, 1), new ServerMetrics());
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private CompletableFuture<Integer> busy() throws InterruptedException {
        CompletableFuture<Integer> busy = CompletableFuture.supplyAsync(() -> one.turn("a", () -> {}, () -> {
            inside.countDown();
            awaitGoOn();
            return 1;
        }));
        assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
        return busy;
    }

    private void awaitGoOn() {
        try {
            assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whoWaitsTooLongIsTurnedAwayAndTheNextOneIsLetIn() throws Exception {
        CompletableFuture<Integer> busy = busy();
        assertThatThrownBy(() -> one.turn("a", () -> {}, () -> 2))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.status()).isEqualTo(429))
                .hasMessage("the reward service did not begin this request within 1 s; send fewer at once");
        goOn.countDown();
        assertThat(busy.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(one.<Integer>turn("a", () -> {}, () -> 3)).isEqualTo(3);
    }

    @Test
    void aClientThatLeaves_freesItsPlace() throws Exception {
        CompletableFuture<Integer> busy = busy();
        assertThatThrownBy(() -> one.turn(
                        "a",
                        () -> {
                            throw new IllegalStateException("the client left");
                        },
                        () -> 2))
                .hasMessage("the client left");
        goOn.countDown();
        assertThat(busy.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void aFailureLeavesThePlaceFree() {
        assertThatThrownBy(() -> one.turn("a", () -> {}, () -> {
                    throw new IllegalStateException("bug");
                }))
                .hasMessage("bug");
        assertThat(one.<Integer>turn("a", () -> {}, () -> 4)).isEqualTo(4);
    }
}
