package dev.prpf.par.serve.policy;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.FunctionCallJson;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A {@link UserPolicy}, ready to be applied: what it leaves of a moment, and why it wants silence. */
final class UserRules {
    /** The name under which {@link Allowed#withheld} tells that something named an app that is opted out. */
    static final String APPS = "opted-out-apps";

    private final UserPolicy policy;
    private final Phrases apps;
    private final Phrases activities;
    private final List<QuietHours> hours;

    UserRules(UserPolicy policy) {
        this.policy = policy;
        apps = new Phrases(policy.optedOutApps());
        activities = new Phrases(policy.quietActivities());
        hours = policy.quietHours().stream().map(QuietHours::parse).toList();
    }

    UserPolicy policy() {
        return policy;
    }

    /**
     * What may be read of a moment.
     *
     * @param sample with a step at least, a blank one where none is left
     * @param withheld every signal that is switched off, in the moment or not, so that the list tells nothing of it; and {@link #APPS}
     * @param quiet whether phone or world tell of a quiet activity, as far as they may be read
     */
    record Allowed(Sample sample, List<String> withheld, boolean quiet) {}

    /** Of a moment without a question. */
    Allowed read(Sample sample) {
        return read(sample, null);
    }

    /** @param question that the user asks now; one that names an app takes the screenshots away, and stays itself; or null */
    Allowed read(Sample sample, @Nullable String question) {
        List<String> withheld = new ArrayList<>();
        Sample left = sample;
        for (Signal signal : Signal.values()) {
            if (!policy.signals().allows(signal)) {
                left = signal.withheldFrom(left);
                withheld.add(signal.label());
            }
        }
        boolean quiet = activities.in(left.context().phone())
                || activities.in(left.context().world());
        if (namesApp(left) || (question != null && apps.in(question))) {
            left = withoutApps(left);
            withheld.add(APPS);
        }
        return new Allowed(left.with(left.context(), left.trajectory().orBlank(), left.answers()), withheld, quiet);
    }

    private boolean namesApp(Sample sample) {
        return Stream.concat(sample.context().texts().stream(), sample.trajectory().texts().stream())
                .anyMatch(apps::in);
    }

    /** Without sentences and captions that name an app, and without all screenshots: any of them may show it. */
    private Sample withoutApps(Sample sample) {
        DeviceContext context = sample.context();
        List<TraceStep> steps = sample.trajectory().steps().stream()
                .filter(step -> step instanceof TraceStep.Caption caption && !apps.in(caption.text()))
                .toList();
        return sample.with(
                new DeviceContext(
                        apps.removedFrom(context.profile()),
                        apps.removedFrom(context.phone()),
                        apps.removedFrom(context.world())),
                new Trajectory(steps),
                sample.answers());
    }

    /** Whether a recommendation names an app that is opted out. */
    boolean namesApp(Recommendation recommendation) {
        Stream<String> values = recommendation.calls().stream()
                .flatMap(call -> call.parameters().values().stream())
                .flatMap(FunctionCallJson::leaves)
                .map(leaf -> leaf.asText());
        return Stream.concat(Stream.of(recommendation.instruction()), values).anyMatch(apps::in);
    }

    /** Why there is silence whatever went before; null if there need be none. */
    @Nullable
    String silence(Instant now) {
        LocalTime time = now.atZone(policy.zoneId()).toLocalTime();
        return !policy.enabled()
                ? "disabled"
                : hours.stream().anyMatch(quiet -> quiet.hold(time)) ? "quiet-hours" : null;
    }

    /** Why there is silence after what went before; null if there need be none. */
    @Nullable
    String silence(History history, Instant now) {
        if (within(history.rejected(), policy.coolDownMinutes(), now)) {
            return "cool-down";
        }
        if (within(history.last(), policy.leastGapMinutes(), now)) {
            return "least-gap";
        }
        Integer limit = policy.dailyLimit();
        return limit != null && history.today() >= limit ? "daily-limit" : null;
    }

    /** A clock that was set back leaves something in the future, which counts as just now. */
    private static boolean within(@Nullable Instant before, int minutes, Instant now) {
        return before != null && now.isBefore(before.plus(Duration.ofMinutes(minutes)));
    }

    /** When the user's day began. */
    Instant dayBegan(Instant now) {
        return now.atZone(policy.zoneId())
                .toLocalDate()
                .atStartOfDay(policy.zoneId())
                .toInstant();
    }

    /** Before which nothing is kept that has an end. */
    Instant keptSince(Instant now) {
        return now.minus(Duration.ofDays(policy.audit().keepDays()));
    }

    /** Before which no time of an intervention or a rejection is kept: limits count from them. */
    Instant countedSince(Instant now) {
        Duration counted = Duration.ofDays(2).plusMinutes(Math.max(policy.leastGapMinutes(), policy.coolDownMinutes()));
        Instant since = now.minus(counted);
        Instant kept = keptSince(now);
        return since.isBefore(kept) ? since : kept;
    }
}
