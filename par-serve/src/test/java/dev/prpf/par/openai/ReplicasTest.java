package dev.prpf.par.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.http.BusyException;
import dev.prpf.base.http.Retrier;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReplicasTest {
    /** The first wait is 10 s less a random half. */
    private static final Retrier.Policy POLICY = new Retrier.Policy(3, Duration.ofSeconds(10), Duration.ofSeconds(60));

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // a clock may pass its largest value
    private final Set<String> dead = Collections.synchronizedSet(new HashSet<>());
    private final List<String> looked = Collections.synchronizedList(new ArrayList<>());

    private Replicas replicas(String... urls) {
        return replicas(this::look, urls);
    }

    private Replicas replicas(Replicas.Exchange<?> probe, String... urls) {
        return new Replicas(Arrays.asList(urls), POLICY, probe, now::get);
    }

    private String look(String url) throws IOException {
        looked.add(url);
        return answer(url);
    }

    private String answer(String url) throws IOException {
        if (dead.contains(url)) {
            throw new IOException(url + " is dead");
        }
        return url;
    }

    private String ask(Replicas replicas) throws IOException, InterruptedException {
        return replicas.ask(this::answer);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private static IOException busy(String url, @Nullable Duration retryAfter) {
        return new BusyException(url + " is busy", 503, retryAfter);
    }

    /** Requests inside others are under way at once. */
    @Test
    void replicaWithTheFewestRequestsIsChosen() throws Exception {
        Replicas replicas = replicas("a", "b", "c");
        String chosen = replicas.ask(first -> replicas.ask(second -> replicas.ask(third -> {
            String fourth = ask(replicas);
            return first + second + third + fourth + ask(replicas);
        })));
        assertThat(chosen).isEqualTo("abcaa");
        assertThat(ask(replicas)).as("all are free again").isEqualTo("a");
        assertThat(looked).as("before the first request").containsExactly("a", "b", "c");
    }

    @Test
    void failedRequestGoesToAnotherServerAtOnce() throws Exception {
        Replicas replicas = replicas("a", "b");
        List<String> asked = new ArrayList<>();
        ask(replicas);
        dead.add("a");
        for (int i = 0; i < 3; i++) {
            String answered = replicas.ask(url -> {
                asked.add(url);
                return answer(url);
            });
            assertThat(answered).isEqualTo("b");
        }
        assertThat(asked).containsExactly("a", "b", "b", "b");
    }

    @Test
    void aServerThatWasDownIsCheckedAfterEverLongerWaits() throws Exception {
        dead.add("a");
        Replicas replicas = replicas("a", "b");
        assertThat(ask(replicas)).isEqualTo("b");
        looked.clear();
        pass(Duration.ofSeconds(4));
        assertThat(ask(replicas)).isEqualTo("b");
        assertThat(looked).as("half of 10 s have not passed").isEmpty();
        pass(Duration.ofSeconds(6));
        assertThat(ask(replicas)).isEqualTo("b");
        assertThat(looked).containsExactly("a");
        pass(Duration.ofSeconds(9));
        ask(replicas);
        assertThat(looked).as("half of 20 s have not passed").hasSize(1);
        dead.clear();
        pass(Duration.ofSeconds(11));
        assertThat(ask(replicas)).as("is back").isEqualTo("a");
        assertThat(ask(replicas)).as("is back").isEqualTo("a");
        assertThat(looked).as("before its first request").containsExactly("a", "a");
    }

    /** Simulates a server that lists its models, but has lost its workers. */
    @Test
    void failingReplicaGetsFewerAndFewerRequests() throws Exception {
        Replicas replicas = replicas(looked::add, "a", "b");
        List<String> asked = new ArrayList<>();
        for (int second = 0; second < 70; second++) {
            replicas.ask(url -> {
                asked.add(url);
                if (url.equals("a")) {
                    throw new IOException("no worker");
                }
                return url;
            });
            pass(Duration.ofSeconds(1));
        }
        assertThat(asked.stream().filter("a"::equals))
                .as("after 5 to 10 s, 10 to 20, 20 to 40")
                .hasSizeBetween(3, 5);
    }

    @Test
    void retryAfterIsKeptDespiteEarlierAnswers() throws Exception {
        Replicas replicas = replicas("a", "b");
        String seen = replicas.ask(first -> {
            // while the first request is under way at a, b gets the second, and a refuses the third
            return first
                    + replicas.ask(second -> second
                            + replicas.ask(third -> {
                                if (third.equals("a")) {
                                    throw busy(third, Duration.ofSeconds(30));
                                }
                                return third;
                            }));
        });
        assertThat(seen).isEqualTo("abb");
        assertThat(ask(replicas)).as("the first answer came after the refusal").isEqualTo("b");
        pass(Duration.ofSeconds(29));
        assertThat(ask(replicas)).isEqualTo("b");
        pass(Duration.ofSeconds(1));
        assertThat(ask(replicas)).isEqualTo("a");
    }

    @Test
    void whereAllFailTheFailureIsTheOneThatMayBeTriedAgainSoonest() throws Exception {
        Replicas replicas = replicas("a", "b", "c");
        assertThatThrownBy(() -> replicas.ask(url -> {
                    throw busy(url, Duration.ofSeconds(url.equals("b") ? 5 : 50));
                }))
                .hasMessage("b is busy");
        assertThat(ask(replicas))
                .as("none is up: the one that comes back first")
                .isEqualTo("b");
        pass(Duration.ofSeconds(5));
        assertThat(ask(replicas)).as("it alone is due").isEqualTo("b");
        assertThat(looked).containsExactly("a", "b", "c");
    }

    @Test
    void whereAllAreDeadOneIsAskedAllTheSame() {
        dead.addAll(List.of("a", "b"));
        Replicas replicas = replicas("a", "b");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> ask(replicas))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("is dead");
        }
        assertThat(looked).startsWith("a", "b").hasSize(4);
    }

    @Test
    void singleServerIsNeverProbed() throws Exception {
        Replicas replicas = replicas("a");
        dead.add("a");
        assertThatThrownBy(() -> ask(replicas)).hasMessage("a is dead");
        assertThatThrownBy(() -> ask(replicas)).hasMessage("a is dead");
        dead.clear();
        assertThat(ask(replicas)).isEqualTo("a");
        assertThat(looked).isEmpty();
    }

    @Test
    void ask_probeRefusesTheModel_endsTheRequest() throws Exception {
        Replicas replicas = replicas(
                url -> {
                    throw new InvalidConfigurationException(url + " has other models");
                },
                "a",
                "b");
        assertThatThrownBy(() -> ask(replicas)).hasMessage("a has other models");
        CompletableFuture<String> other = started(() -> ask(replicas));
        assertThatThrownBy(other::get).isInstanceOf(ExecutionException.class).hasMessageContaining("other models");
    }

    private static CompletableFuture<String> started(Retrier.Attempt<String> work) {
        CompletableFuture<String> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(work.run());
            } catch (IOException | InterruptedException | RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }
}
