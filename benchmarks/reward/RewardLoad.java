import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sends requests of 8 responses to {@code POST /v1/reward} at a fixed rate, however slow the answers are. A latency counts from the moment at
 * which the request was due, so it shows the delay of a slow server.
 *
 * <pre>java benchmarks/reward/RewardLoad.java http://127.0.0.1:8080 runs/quickstart/work/cascade/predictions.jsonl 1000 30 [600]</pre>
 *
 * <p>Arguments: address; JSON Lines with {@code id} and {@code response}; requests a second; measured seconds; characters of thinking added to
 * each response. The warm-up takes a third of the measured seconds.
 */
final class RewardLoad {
    private static final int TOGETHER = 8;
    private static final int MOST_AT_ONCE = 512;
    private static final String TEXT = "\\s*(\"(?:[^\"\\\\]|\\\\.)*\")";
    private static final Pattern ID = Pattern.compile("\"id\":" + TEXT);
    private static final Pattern RESPONSE = Pattern.compile("\"response\":" + TEXT);

    public static void main(String[] args) throws Exception {
        List<HttpRequest> requests = requests(URI.create(args[0] + "/v1/reward"), Path.of(args[1]), args.length > 4 ? Integer.parseInt(args[4]) : 0);
        int rate = Integer.parseInt(args[2]);
        int seconds = Integer.parseInt(args[3]);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        run(client, requests, rate, Math.max(1, seconds / 3));
        Result result = run(client, requests, rate, seconds);
        long[] sorted = result.nanos().clone();
        Arrays.sort(sorted);
        System.out.printf("%d requests of %d responses in %.1f s: %.0f requests/s, %d not answered with 200%n",
                sorted.length, TOGETHER, result.seconds(), sorted.length / result.seconds(), result.failed());
        System.out.printf("latency ms: p50 %.2f, p90 %.2f, p99 %.2f, p99.9 %.2f, most %.2f%n",
                at(sorted, 0.5), at(sorted, 0.9), at(sorted, 0.99), at(sorted, 0.999), at(sorted, 1));
    }

    private record Result(long[] nanos, double seconds, int failed) {}

    private static Result run(HttpClient client, List<HttpRequest> requests, int rate, int seconds) throws InterruptedException {
        int count = rate * seconds;
        long[] nanos = new long[count];
        AtomicInteger failed = new AtomicInteger();
        Semaphore places = new Semaphore(MOST_AT_ONCE);
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int index = i;
            long due = start + (long) i * 1_000_000_000L / rate;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            places.acquire();
            client.sendAsync(requests.get(i % requests.size()), HttpResponse.BodyHandlers.ofByteArray())
                    .whenComplete((answer, failure) -> {
                        nanos[index] = System.nanoTime() - due;
                        if (failure != null || answer.statusCode() != 200) {
                            failed.incrementAndGet();
                        }
                        places.release();
                    });
        }
        places.acquire(MOST_AT_ONCE);
        return new Result(nanos, (System.nanoTime() - start) / 1e9, failed.get());
    }

    private static double at(long[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1, Math.ceil(share * sorted.length))] / 1e6;
    }

    private static List<HttpRequest> requests(URI address, Path file, int thinking) throws Exception {
        String block = thinking == 0 ? "" : "<thinking>" + "想".repeat(thinking) + "<function_selection>无</function_selection></thinking>";
        List<String> items = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            Matcher id = ID.matcher(line);
            Matcher response = RESPONSE.matcher(line);
            if (id.find() && response.find()) {
                items.add("{\"id\":" + id.group(1) + ",\"response\":\"" + block + response.group(1).substring(1) + "}");
            }
        }
        System.out.printf("%d responses of %d characters on average%n", items.size(), items.stream().mapToInt(String::length).sum() / items.size());
        List<HttpRequest> requests = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            List<String> some = new ArrayList<>();
            for (int j = 0; j < TOGETHER; j++) {
                some.add(items.get((i + j * 53) % items.size()));
            }
            requests.add(HttpRequest.newBuilder(address)
                    .timeout(Duration.ofSeconds(30))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"items\":[" + String.join(",", some) + "]}"))
                    .build());
        }
        return requests;
    }
}
