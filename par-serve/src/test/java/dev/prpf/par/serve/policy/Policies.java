package dev.prpf.par.serve.policy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.Perception;
import dev.prpf.par.serve.http.KeyShare;
import dev.prpf.par.serve.policy.UserPolicies.PolicySettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Moments, policies and a clock for the tests of this package. */
final class Policies {
    static final Path SHIPPED = Path.of(System.getProperty("prpf.root", ".."), "configs", "policy.yaml");
    static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
    static final KeyShare ALL = new KeyShare(64 << 20, false);
    static final Recommendation NOTE = recommendation("记下来", "buy milk");

    private Policies() {}

    /** The shipped policy in UTC, without quiet hours and limits, changed by {@code key=value}. */
    static UserPolicy policy(String... overrides) {
        List<String> open =
                List.of("zone=UTC", "quiet-hours=[]", "daily-limit=null", "least-gap-minutes=0", "cool-down-minutes=0");
        return StrictYaml.read(
                SHIPPED,
                UserPolicy.class,
                Stream.concat(open.stream(), Stream.of(overrides)).toList());
    }

    static UserPolicies open(Path folder, Clock clock, String... overrides) {
        return open(folder, new PolicySettings(folder.resolve("state"), 200, 8, 1), clock, overrides);
    }

    static UserPolicies open(Path folder, PolicySettings settings, Clock clock, String... overrides) {
        return open(folder, settings, new KeyShare(settings.maxDatabaseBytes(), false), clock, overrides);
    }

    static UserPolicies open(Path folder, PolicySettings settings, KeyShare share, Clock clock, String... overrides) {
        try {
            Path file = folder.resolve("policy.yaml");
            Files.writeString(file, StrictYaml.write(policy(overrides)));
            return UserPolicies.open(file, settings, share, clock);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Recommendation recommendation(String instruction, String content) {
        return new Recommendation(
                instruction,
                List.of(new FunctionCall("create_note", Map.<String, JsonNode>of("content", new TextNode(content)))));
    }

    static Sample sample(String profile, String phone, String world, TraceStep... steps) {
        return new Sample(
                "m", 1, null, null, new DeviceContext(profile, phone, world), new Trajectory(List.of(steps)), null);
    }

    static Sample sample() {
        return sample("爱吃辣。", "电量80%。", "晴。", new TraceStep.Caption("打开地图"), new TraceStep.Screenshot("a.png"));
    }

    static InterventionPolicy.Moment moment(String user) {
        return new InterventionPolicy.Moment("local", user, sample(), false);
    }

    /** Returns the outcome of an intervention. */
    static InterventionPolicy.Outcome shown(Recommendation... made) {
        return new InterventionPolicy.Outcome(
                new Perception(0.75, Map.of("Food", 0.5)), 0.5, null, List.of(made), true);
    }

    static InterventionPolicy.Outcome silent(String why) {
        return new InterventionPolicy.Outcome(null, 0.5, why, List.of(), false);
    }

    /** Admits a sample and records an intervention, as a recommendation does. Returns the reason for silence, or null. */
    static @Nullable String intervene(UserPolicies policies, InterventionPolicy.Moment moment) {
        InterventionPolicy.Admission admission = policies.admit(moment);
        InterventionPolicy.Outcome outcome = admission.silence() == null ? shown(NOTE) : silent(admission.silence());
        String refused = policies.record(admission, outcome, null).silence();
        return refused == null ? outcome.silence() : refused;
    }

    /** All bytes of a folder's files, as characters of one byte. */
    static String bytes(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            StringBuilder all = new StringBuilder();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
            return all.toString();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A text as {@link #bytes} shows it. */
    static String asBytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** Collects the log lines of all loggers until closed. */
    static final class Log implements AutoCloseable {
        private final ListAppender<ILoggingEvent> events = new ListAppender<>();
        private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

        Log() {
            events.start();
            root.addAppender(events);
        }

        List<String> lines() {
            return List.copyOf(events.list).stream()
                    .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                    .toList();
        }

        /** Returns the error lines, all of this package. */
        List<String> errors() {
            return lines().stream().filter(line -> line.startsWith("ERROR")).toList();
        }

        @Override
        public void close() {
            root.detachAppender(events);
        }
    }

    /** A clock that is set by hand. */
    static final class HandClock extends Clock {
        private volatile Instant now;

        HandClock(Instant now) {
            this.now = now;
        }

        void advance(Duration by) {
            now = now.plus(by);
        }

        void set(String time) {
            now = Instant.parse(time);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException("the tests use only UTC");
        }

        @Override
        public Instant instant() {
            return now;
        }
    }
}
