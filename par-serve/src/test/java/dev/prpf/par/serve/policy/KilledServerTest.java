package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.serve.policy.InterventionPolicy.Moment;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that answers from a database again and again; what it has answered is in the database, with at most one answer more. */
class KilledServerTest {
    private static final List<String> USERS = List.of("ann", "bob", "eve");
    private static final Pattern MARKER = Pattern.compile("\\[(\\w{3})-(\\d{6})]");

    @TempDir
    private Path folder;

    /** Numbers of the interventions that were answered, by user, since the user's last erasure. */
    private final Map<String, List<Integer>> answered = new TreeMap<>();

    private int next;

    /** The process: it writes a line after each answer. */
    static final class Answering {
        private Answering() {}

        public static void main(String[] args) {
            UserPolicies policies = open(Path.of(args[0]));
            Random random = new Random(Long.parseLong(args[1]));
            for (int i = Integer.parseInt(args[1]); ; i++) {
                String user = USERS.get(random.nextInt(USERS.size()));
                if (random.nextInt(20) == 0) {
                    policies.erase(new Account("local", user));
                    System.out.println("erased " + user + " " + i);
                } else {
                    TraceStep step = new TraceStep.Caption(marker(user, i).repeat(random.nextInt(300) + 1));
                    String silence = Policies.intervene(
                            policies, new Moment("local", user, Policies.sample("", "", "", step), false));
                    System.out.println((silence == null ? "shown " : silence + " ") + user + " " + i);
                }
            }
        }
    }

    private static UserPolicies open(Path folder) {
        return Policies.open(folder, Clock.systemUTC(), "audit.content=true");
    }

    private static String marker(String user, int number) {
        return "[%s-%06d]".formatted(user, number);
    }

    @Test
    void threeKillsLoseNothingThatWasAnswered() throws Exception {
        kill(3);
    }

    /** The smaller test is {@link #threeKillsLoseNothingThatWasAnswered}. */
    @Test
    @Tag("nightly")
    void fiftyKillsLoseNothingThatWasAnswered() throws Exception {
        kill(50);
    }

    private void kill(int times) throws Exception {
        Random random = new Random(times);
        for (int i = 0; i < times; i++) {
            run(random.nextInt(150) + 1, random.nextInt(3_000_000));
            try (UserPolicies policies = open(folder)) {
                int more = 0;
                for (String user : USERS) {
                    more += compared(policies, user);
                }
                assertThat(more).as("unanswered").isLessThanOrEqualTo(1);
            }
        }
        assertThat(next).isGreaterThan(times);
    }

    /** Runs the process until it has written some lines, and for some nanoseconds more. */
    private void run(int lines, int nanos) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process process = new ProcessBuilder(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-cp",
                        classPath,
                        Answering.class.getName(),
                        folder.toString(),
                        String.valueOf(next))
                .directory(new File("."))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            int read = 0;
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                answered(line);
                if (++read == lines) {
                    LockSupport.parkNanos(nanos);
                    process.toHandle().destroyForcibly(); // unlike the process, it leaves the stream open
                }
            }
        }
        process.waitFor();
    }

    private void answered(String line) {
        String[] words = line.split(" ", -1);
        List<Integer> numbers = answered.computeIfAbsent(words[1], user -> new ArrayList<>());
        if (words[0].equals("erased")) {
            numbers.clear();
        } else {
            assertThat(words[0]).isEqualTo("shown");
            numbers.add(Integer.parseInt(words[2]));
        }
        next = Integer.parseInt(words[2]) + 1;
    }

    /** Compares what is kept of a user with what was answered; returns 1 if the process was killed before it answered the last one. */
    private int compared(UserPolicies policies, String user) {
        Account account = new Account("local", user);
        List<Integer> expected = answered.computeIfAbsent(user, unseen -> new ArrayList<>());
        List<Integer> kept = new ArrayList<>();
        for (UserState.Row row : policies.state().audit(account, Instant.EPOCH, Long.MAX_VALUE, 100_000)) {
            MARKER.matcher(row.json())
                    .results()
                    .limit(1)
                    .forEach(match -> kept.add(0, Integer.valueOf(match.group(2))));
        }
        assertThat(policies.state().interventions(account, 0, 100_000)).hasSameSizeAs(kept);
        assertThat(MARKER.matcher(Policies.bytes(folder))
                        .results()
                        .filter(match -> match.group(1).equals(user))
                        .map(match -> Integer.valueOf(match.group(2)))
                        .distinct()
                        .sorted()
                        .toList())
                .as("texts in the files")
                .isEqualTo(kept);
        if (kept.equals(expected)) {
            return 0;
        }
        boolean erased = kept.isEmpty();
        assertThat(erased ? kept : kept.subList(0, kept.size() - 1)).isEqualTo(erased ? List.of() : expected);
        next = Math.max(next, erased ? next : kept.get(kept.size() - 1) + 1);
        answered.put(user, kept);
        return 1;
    }
}
