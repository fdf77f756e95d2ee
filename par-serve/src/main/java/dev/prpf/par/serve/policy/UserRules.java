package dev.prpf.par.serve.policy;

import dev.prpf.base.config.Rule;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.serve.policy.InterventionPolicy.Admission;
import dev.prpf.par.serve.policy.InterventionPolicy.Moment;
import dev.prpf.par.serve.policy.UserPolicy.QuietHours;
import dev.prpf.par.serve.policy.UserPolicy.Signal;
import java.text.Normalizer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A {@link UserPolicy}, ready to be applied: filters a sample, and gives the reasons for silence. */
final class UserRules {
    /** The name in {@link Allowed#withheld} for texts that named an app that is opted out. */
    static final String APPS = "opted-out-apps";

    private static final String QUIET_ACTIVITY = "quiet-activity";

    private final UserPolicy policy;
    private final PhraseMatcher apps;
    private final PhraseMatcher activities;
    private final List<QuietHours> hours;
    private final ZoneId zone;

    UserRules(UserPolicy policy) {
        this(policy, ZoneId.systemDefault());
    }

    /** @param usual zone of a policy without its own */
    UserRules(UserPolicy policy, ZoneId usual) {
        this.policy = policy;
        zone = policy.zone() == null ? usual : ZoneId.of(policy.zone());
        apps = new PhraseMatcher(policy.optedOutApps());
        activities = new PhraseMatcher(policy.quietActivities());
        hours = policy.quietHours().stream().map(QuietHours::parse).toList();
    }

    UserPolicy policy() {
        return policy;
    }

    /**
     * Decides about a sample.
     *
     * @param past gives the reason for silence that follows from the history, or null
     */
    Admission admit(Moment moment, Instant now, Supplier<@Nullable String> past) {
        Allowed allowed = read(moment.sample(), moment.question());
        double shift = moment.passive() ? 0 : -policy.sensitivity();
        String silence = moment.passive() ? null : silence(now);
        if (silence == null && !moment.passive()) {
            silence = allowed.quiet() ? QUIET_ACTIVITY : past.get();
        }
        return new Admission(moment.with(allowed.sample()), allowed.withheld(), shift, silence);
    }

    /**
     * The parts of a sample that may be read.
     *
     * @param sample with at least one step, a blank one where none is left
     * @param withheld every signal that is switched off, in the sample or not, so that the list reveals nothing; and {@link #APPS}
     * @param quiet whether phone or world state, as far as readable, name a quiet activity
     */
    record Allowed(Sample sample, List<String> withheld, boolean quiet) {}

    Allowed read(Sample sample) {
        return read(sample, null);
    }

    /** @param question that the user asks now, never removed; one that names an app removes the screenshots; or null */
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

    /** Removes sentences and captions that name an app, and all screenshots: any of them may show it. */
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

    boolean namesApp(Recommendation recommendation) {
        Stream<String> values = recommendation.calls().stream()
                .flatMap(call -> call.parameters().values().stream())
                .flatMap(FunctionCallJson::leaves)
                .map(leaf -> leaf.asText());
        return Stream.concat(Stream.of(recommendation.instruction()), values).anyMatch(apps::in);
    }

    /** Returns the reason for silence at this time, regardless of the history, or null. */
    @Nullable
    String silence(Instant now) {
        LocalTime time = now.atZone(zone).toLocalTime();
        return !policy.enabled()
                ? "disabled"
                : hours.stream().anyMatch(quiet -> quiet.hold(time)) ? "quiet-hours" : null;
    }

    /**
     * The past events that the limits count.
     *
     * @param today interventions since the user's day began
     */
    record History(int today, @Nullable Instant last, @Nullable Instant rejected) {}

    /** Returns the reason for silence that follows from the history, or null. */
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

    /** Returns whether a time is less than some minutes ago. A future time, after the clock was set back, counts as now. */
    private static boolean within(@Nullable Instant before, int minutes, Instant now) {
        return before != null && now.isBefore(before.plus(Duration.ofMinutes(minutes)));
    }

    /** Returns the start of the user's day. */
    Instant dayBegan(Instant now) {
        return now.atZone(zone).toLocalDate().atStartOfDay(zone).toInstant();
    }

    Instant keptSince(Instant now) {
        return now.minus(Duration.ofDays(policy.audit().keepDays()));
    }

    /** Returns the time before which interventions and rejections expire: limits count from them. */
    Instant countedSince(Instant now) {
        Duration counted = Duration.ofDays(2).plusMinutes(Math.max(policy.leastGapMinutes(), policy.coolDownMinutes()));
        Instant since = now.minus(counted);
        Instant kept = keptSince(now);
        return since.isBefore(kept) ? since : kept;
    }

    /**
     * Finds phrases in texts, ignoring case, width (NFKC), white space and invisible characters. Matches whole words in scripts with spaces between words
     * ({@code car} in "by car", not in "card"). Matches anywhere in Chinese, Japanese, Korean, Thai and similar scripts. Synonyms are not matched.
     */
    static final class PhraseMatcher {
        private static final int LONGEST = 100;
        private static final String LETTER =
                "[\\p{L}&&[^\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsHangul}\\p{IsBopomofo}"
                        + "\\p{IsThai}\\p{IsLao}\\p{IsKhmer}\\p{IsMyanmar}]]";
        private static final Pattern BEGINS = Pattern.compile("^" + LETTER);
        private static final Pattern ENDS = Pattern.compile(LETTER + "$");
        private static final Pattern INVISIBLE = Pattern.compile("\\p{Cf}");
        private static final Pattern SPACE = Pattern.compile("[\\s\\p{Z}]+");
        /** Matches after a mark that ends a sentence; a western mark must be followed by a space. */
        private static final Pattern SENTENCE_END = Pattern.compile("(?<=[。！？；\\n])|(?<=[.!?;]\\s)");

        private final Pattern any;

        /** @param phrases not blank; an empty list matches nothing */
        PhraseMatcher(List<String> phrases) {
            any = Pattern.compile(
                    phrases.isEmpty()
                            ? "(?!)"
                            : phrases.stream().map(PhraseMatcher::expression).collect(Collectors.joining("|")));
        }

        /** @throws IllegalArgumentException unless each has visible characters, and at most {@value #LONGEST} characters */
        static void require(String key, List<String> phrases) {
            for (String phrase : phrases) {
                boolean says = phrase.length() <= LONGEST && !normal(phrase).isEmpty();
                Rule.require(says, key, "\"" + phrase + "\"", "a text of 1 to " + LONGEST + " characters");
            }
        }

        private static String expression(String phrase) {
            String text = normal(phrase).replace(" ", "");
            return (BEGINS.matcher(text).find() ? "(?<!" + LETTER + ")" : "")
                    + text.codePoints()
                            .mapToObj(character -> Pattern.quote(Character.toString(character)))
                            .collect(Collectors.joining(" ?"))
                    + (ENDS.matcher(text).find() ? "(?!" + LETTER + ")" : "");
        }

        private static String normal(String text) {
            String plain = INVISIBLE
                    .matcher(Normalizer.normalize(text, Normalizer.Form.NFKC))
                    .replaceAll("");
            String folded =
                    plain.toLowerCase(Locale.ROOT).toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
            return SPACE.matcher(folded).replaceAll(" ").strip();
        }

        boolean in(String text) {
            return any.matcher(normal(text)).find();
        }

        /** Returns the text without the sentences that contain a phrase; blank if a phrase spans sentences. */
        String removedFrom(String text) {
            if (!in(text)) {
                return text;
            }
            String left = SENTENCE_END
                    .splitAsStream(text)
                    .filter(sentence -> !in(sentence))
                    .collect(Collectors.joining());
            return in(left) ? "" : left;
        }
    }
}
