package dev.prpf.par.serve.policy;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.Rule;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.cascade.Cascade.ContextDimension;
import dev.prpf.par.serve.policy.UserRules.PhraseMatcher;
import java.time.DateTimeException;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The policy of one user, or of all without their own: a YAML file of {@code --policy}, explained in docs/POLICY.md.
 *
 * @param enabled false: no intervention at all; passive queries are answered as usual
 * @param zone in which quiet hours and days are counted, such as {@code Asia/Shanghai}; null for the server's
 * @param signals that may be read
 * @param optedOutApps names of apps; sentences and captions that contain one are removed
 * @param quietHours each {@code HH:MM-HH:MM}
 * @param quietActivities phrases in phone or world state that mean silence
 * @param dailyLimit interventions a day; null for any number
 * @param leastGapMinutes between two interventions
 * @param coolDownMinutes without interventions after a rejection
 * @param sensitivity subtracted from τ, from -1 to 1; a positive value triggers sooner
 * @param keepFeedback whether accepted and rejected samples are kept as training records
 * @param audit settings of the audit
 */
@Defaults("/configs/policy.yaml")
public record UserPolicy(
        boolean enabled,
        @Nullable String zone,
        Signals signals,
        List<String> optedOutApps,
        List<String> quietHours,
        List<String> quietActivities,
        @Nullable Integer dailyLimit,
        int leastGapMinutes,
        int coolDownMinutes,
        double sensitivity,
        boolean keepFeedback,
        Audit audit) {
    private static final int WEEK_MINUTES = 7 * 24 * 60;
    private static final int MOST_ENTRIES = 1000;

    public UserPolicy {
        optedOutApps = entries("opted-out-apps", optedOutApps);
        quietHours = entries("quiet-hours", quietHours);
        quietActivities = entries("quiet-activities", quietActivities);
        PhraseMatcher.require("opted-out-apps", optedOutApps);
        PhraseMatcher.require("quiet-activities", quietActivities);
        quietHours.forEach(QuietHours::parse);
        Rule.require(
                quietActivities.isEmpty() || signals.phone() || signals.world(),
                "quiet-activities",
                quietActivities,
                "empty, since signals.phone and signals.world are false and nothing else tells of an activity");
        Rule.require(isZone(zone), "zone", zone, "a time zone, such as Asia/Shanghai, or null");
        Rule.require(dailyLimit == null || dailyLimit >= 0, "daily-limit", dailyLimit, "at least 0, or null");
        requireMinutes("least-gap-minutes", leastGapMinutes);
        requireMinutes("cool-down-minutes", coolDownMinutes);
        Rule.require(sensitivity >= -1 && sensitivity <= 1, "sensitivity", sensitivity, "from -1 to 1");
    }

    private static List<String> entries(String key, List<String> entries) {
        Rule.require(entries.size() <= MOST_ENTRIES, key, entries.size() + " entries", "at most " + MOST_ENTRIES);
        return List.copyOf(entries);
    }

    private static void requireMinutes(String key, int minutes) {
        Rule.require(minutes >= 0 && minutes <= WEEK_MINUTES, key, minutes, "from 0 to " + WEEK_MINUTES + ", a week");
    }

    private static boolean isZone(@Nullable String zone) {
        try {
            return zone == null || !ZoneId.of(zone).getId().isEmpty();
        } catch (DateTimeException unknown) {
            return false;
        }
    }

    /**
     * The signals that may be read. A false one reaches no encoder, prompt, log or audit.
     *
     * @param captions steps of the trajectory in words
     * @param screenshots steps of the trajectory that are images
     */
    public record Signals(boolean profile, boolean phone, boolean world, boolean captions, boolean screenshots) {
        /** Returns whether a signal may be read. */
        public boolean allows(Signal signal) {
            return switch (signal) {
                case PROFILE -> profile;
                case PHONE -> phone;
                case WORLD -> world;
                case CAPTIONS -> captions;
                case SCREENSHOTS -> screenshots;
            };
        }
    }

    /**
     * Settings of the audit.
     *
     * @param content whether to keep texts and recommendations, instead of only their keyed hashes
     * @param keepDays after which an entry is deleted
     */
    public record Audit(boolean content, int keepDays) {
        private static final int MOST_DAYS = 3650;

        public Audit {
            Rule.require(keepDays >= 1 && keepDays <= MOST_DAYS, "keep-days", keepDays, "from 1 to " + MOST_DAYS);
        }
    }

    /** The parts of a sample that a user can allow or withhold: those of ProactiveMobile's records. */
    public enum Signal {
        PROFILE,
        PHONE,
        WORLD,
        CAPTIONS,
        SCREENSHOTS;

        /** Returns the name in policies and audits. */
        public String label() {
            return EnumName.of(this);
        }

        /** Returns the sample with this text blank, or without the trajectory's steps of this kind; possibly without steps. */
        Sample withheldFrom(Sample sample) {
            return switch (this) {
                case PROFILE -> ContextDimension.PROFILE.removedFrom(sample);
                case PHONE -> ContextDimension.PHONE.removedFrom(sample);
                case WORLD -> ContextDimension.WORLD.removedFrom(sample);
                case CAPTIONS -> without(TraceStep.Caption.class, sample);
                case SCREENSHOTS -> without(TraceStep.Screenshot.class, sample);
            };
        }

        private static Sample without(Class<? extends TraceStep> kind, Sample sample) {
            Trajectory left = new Trajectory(sample.trajectory().steps().stream()
                    .filter(step -> !kind.isInstance(step))
                    .toList());
            return sample.with(sample.context(), left, sample.answers());
        }
    }

    /**
     * A part of the day; spans midnight if it begins later than it ends.
     *
     * @param from start, inclusive
     * @param to end, exclusive; differs from {@code from}
     */
    record QuietHours(LocalTime from, LocalTime to) {
        private static final Pattern FORM =
                Pattern.compile("((?:[01]\\d|2[0-3]):[0-5]\\d)-((?:[01]\\d|2[0-3]):[0-5]\\d)");

        /**
         * Parses a range {@code HH:MM-HH:MM}.
         *
         * @throws IllegalArgumentException for another form, or for an empty range or a whole day
         */
        static QuietHours parse(String text) {
            Matcher parts = FORM.matcher(text);
            Rule.require(parts.matches(), "quiet-hours", text, "HH:MM-HH:MM, such as 22:00-07:00");
            QuietHours hours = new QuietHours(LocalTime.parse(parts.group(1)), LocalTime.parse(parts.group(2)));
            String rule = "of different times; \"enabled: false\" is silence all day";
            Rule.require(!hours.from.equals(hours.to), "quiet-hours", text, rule);
            return hours;
        }

        boolean hold(LocalTime time) {
            boolean begun = !time.isBefore(from);
            boolean over = !time.isBefore(to);
            return from.isBefore(to) ? begun && !over : begun || !over;
        }
    }
}
