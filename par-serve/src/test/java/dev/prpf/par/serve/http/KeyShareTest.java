package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyShareTest {
    /** Counts the units that a key gets, taken one by one. */
    private static int taken(KeyQuota quota, String key) {
        int units = 0;
        while (quota.acquire(key, 1)) {
            units++;
        }
        return units;
    }

    @Test
    void greedyKeysLeaveRoomForTheNext() {
        KeyQuota quota = new KeyQuota(new KeyShare(16, true));
        assertThat(taken(quota, "a")).isEqualTo(12);
        assertThat(taken(quota, "b")).isEqualTo(3);
        assertThat(taken(quota, "c")).isEqualTo(1);
        assertThat(quota.held()).isEqualTo(16);
        quota.release("a", 8);
        assertThat(taken(quota, "d")).as("three times what stays free").isEqualTo(6);
        assertThat(taken(quota, "a")).as("it holds 4 of 14").isZero();
    }

    @Test
    void theOnlyKeyTakesAll() {
        assertThat(taken(new KeyQuota(new KeyShare(16, false)), "a")).isEqualTo(16);
        KeyQuota one = new KeyQuota(new KeyShare(1, true));
        assertThat(taken(one, "a")).isEqualTo(1);
        assertThat(taken(one, "b")).isZero();
    }

    @Test
    void theOnlyRequestOfAKeyTakesWhatIsFree() {
        KeyQuota quota = new KeyQuota(new KeyShare(100, true));
        assertThat(quota.acquire("a", 60, 0)).isTrue();
        assertThat(quota.acquire("a", 20, 0)).as("another request").isFalse();
        assertThat(quota.acquire("a", 400, 60)).as("alone on the server").isTrue();
        quota.release("a", 400);
        assertThat(quota.acquire("b", 10, 0)).isTrue();
        assertThat(quota.acquire("a", 30, 60)).as("all that is free").isTrue();
        assertThat(quota.acquire("a", 1, 90)).isFalse();
    }
}
