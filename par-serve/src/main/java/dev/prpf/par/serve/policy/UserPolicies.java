package dev.prpf.par.serve.policy;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.TemporaryFolder;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.KeyShare;
import dev.prpf.par.serve.policy.AuditEntry.AuditKey;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policies of {@code --policy}, with their counters and stored data. If the database cannot be read, the reason for silence is {@value
 * #UNAVAILABLE}. If a decision to intervene cannot be written, the request fails with 503. The log reports both.
 */
public final class UserPolicies implements InterventionPolicy, AutoCloseable {
    /** The reason for silence while the database cannot be used. */
    public static final String UNAVAILABLE = "policy-unavailable";

    private static final Logger LOG = LoggerFactory.getLogger(UserPolicies.class);
    /** When a client may try again. */
    static final Duration SOON = Duration.ofSeconds(5);

    private final PolicyFiles files;
    private final PolicySettings settings;
    private final AuditKey key;
    private final PolicyDatabase database;
    private final UserState state;
    private final Clock clock;
    private final Outage outage;
    private final List<BiConsumer<String, String>> erasing = new CopyOnWriteArrayList<>();
    private final @Nullable TemporaryFolder temporary;
    private final ScheduledExecutorService hourly = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "policy-retention");
        thread.setDaemon(true);
        return thread;
    });

    /** @param temporary a folder that {@link #close} deletes, or null */
    private UserPolicies(
            PolicyFiles files,
            PolicySettings settings,
            KeyShare share,
            Clock clock,
            @Nullable TemporaryFolder temporary) {
        this.files = files;
        this.temporary = temporary;
        this.settings = settings;
        this.clock = clock;
        outage = new Outage(clock);
        key = AuditKey.open(settings.folder());
        database = PolicyDatabase.open(settings, share);
        state = new UserState(database);
    }

    /**
     * Reads the policies and opens the database. Drops expired rows at once, then hourly.
     *
     * @param policies a file, or a folder with {@code default.yaml}
     * @param share of the database's bytes that an API key may hold
     * @param clock gives the current time
     * @throws dev.prpf.base.error.PrpfException 78 for an invalid policy, 65 for an invalid key or database, 69 if the folder cannot be used or
     *     others may read its files
     */
    public static UserPolicies open(Path policies, PolicySettings settings, KeyShare share, Clock clock) {
        UserPolicies opened = new UserPolicies(PolicyFiles.read(policies), settings, share, clock, null);
        try {
            opened.dropExpired();
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
        ScheduledFuture<?> unused = opened.hourly.scheduleWithFixedDelay(opened::sweep, 1, 1, TimeUnit.HOURS);
        LOG.info(
                "{}: users with a policy of their own: {}",
                policies,
                opened.files.users().size());
        return opened;
    }

    /**
     * Opens a store in a temporary folder, under the default policy. {@link #close} deletes the folder.
     *
     * @param settings of the store, except its folder
     * @throws dev.prpf.base.error.PrpfException 69 if no temporary folder can be created
     */
    public static UserPolicies temporary(PolicySettings settings, KeyShare share, Clock clock) {
        TemporaryFolder folder = TemporaryFolder.open("prpf-feedback");
        return new UserPolicies(PolicyFiles.standard(), settings.in(folder.path()), share, clock, folder);
    }

    @Override
    public Admission admit(Moment moment) {
        Account account = Account.of(moment.caller(), moment.user());
        UserRules rules = files.of(moment.user());
        Instant now = clock.instant();
        return rules.admit(moment, now, () -> silence(account, rules, now));
    }

    private @Nullable String silence(Account account, UserRules rules, Instant now) {
        try {
            return rules.silence(state.history(account, rules.dayBegan(now)), now);
        } catch (UnavailableException e) {
            outage.report(e);
            return UNAVAILABLE;
        }
    }

    @Override
    public void requireUser(String user) {
        Account.requireUser(user);
    }

    @Override
    public Recorded record(Admission admission, Outcome outcome, @Nullable Recorded begun) {
        Account account =
                Account.of(admission.moment().caller(), admission.moment().user());
        UserRules rules = files.of(account.user());
        AuditEntry entry = AuditEntry.of(account, key, rules.policy().audit().content(), admission, outcome);
        try {
            Recorded recorded = recorded(admission, rules, outcome.intervention(), entry, begun);
            outage.over(); // reads may succeed where this fails
            return recorded;
        } catch (UnavailableException e) {
            outage.report(e);
            if (outcome.silence() == null && !admission.moment().passive()) {
                throw ApiException.unavailable(
                        SOON, "the audit of this decision cannot be written now, so nothing is recommended");
            }
            return new Recorded(null, null);
        }
    }

    private Recorded recorded(
            Admission admission, UserRules rules, boolean intervention, AuditEntry entry, @Nullable Recorded begun) {
        Account account =
                Account.of(admission.moment().caller(), admission.moment().user());
        if (begun != null) {
            state.replace(account, Objects.requireNonNull(begun.entry(), "written"), intervention, entry);
            return begun;
        }
        Instant now = clock.instant();
        String silence = intervention ? rules.silence(now) : null; // quiet hours may have begun
        return silence == null
                ? state.record(account, now, intervention ? rules : null, entry, admission.since())
                : new Recorded(
                        state.record(account, now, null, entry.silenced(silence), admission.since())
                                .entry(),
                        silence);
    }

    /** Drops the expired rows of all accounts. */
    void sweep() {
        try {
            dropExpired();
        } catch (UnavailableException e) {
            outage.report(e);
        }
    }

    private void dropExpired() {
        Instant now = clock.instant();
        for (Account account : state.accounts()) {
            state.expire(account, files.of(account.user()), now);
        }
        database.erase(PolicyDatabase.SERVER, () -> true); // empties the log, which may hold rows after a kill
    }

    /**
     * Adds a listener that is called when a user is erased.
     *
     * @param forgetting receives caller and user, before their data is erased
     */
    public void onErase(BiConsumer<String, String> forgetting) {
        erasing.add(forgetting);
    }

    /**
     * Erases all data of an account, from the file too, and notifies the listeners.
     *
     * @throws UnavailableException if the database cannot be used
     */
    UserState.Erased erase(Account account) {
        erasing.forEach(forgetting -> forgetting.accept(account.owner(), account.user()));
        return state.erase(account);
    }

    UserState state() {
        return state;
    }

    Outage outage() {
        return outage;
    }

    UserRules rules(Account account) {
        return files.of(account.user());
    }

    Instant now() {
        return clock.instant();
    }

    long mostFeedbackBytes() {
        return (long) settings.maxFeedbackMb() << 20;
    }

    @Override
    public void close() {
        hourly.shutdownNow();
        database.close();
        if (temporary != null) {
            temporary.close();
        }
    }

    /** Applies a policy to one user, and keeps the history in memory. Not thread-safe. */
    public static final class InMemory implements InterventionPolicy {
        private final UserRules rules;
        private final Clock clock;
        private final List<Instant> shown = new ArrayList<>();
        private @Nullable Instant rejected;

        /** @param clock gives the current time, and the zone of a policy without its own */
        public InMemory(UserPolicy policy, Clock clock) {
            this.rules = new UserRules(policy, clock.getZone());
            this.clock = clock;
        }

        @Override
        public Admission admit(Moment moment) {
            Instant now = clock.instant();
            return rules.admit(moment, now, () -> silence(now));
        }

        private @Nullable String silence(Instant now) {
            Instant day = rules.dayBegan(now);
            int today = Math.toIntExact(
                    shown.stream().filter(at -> !at.isBefore(day)).count());
            Instant last = shown.isEmpty() ? null : shown.get(shown.size() - 1);
            return rules.silence(new UserRules.History(today, last, rejected), now);
        }

        @Override
        public void requireUser(String user) {}

        @Override
        public Recorded record(Admission admission, Outcome outcome, @Nullable Recorded begun) {
            if (outcome.intervention() && admission.silence() == null) {
                shown.add(clock.instant());
            }
            return new Recorded(null, admission.silence());
        }

        /** Records the time of the user's last rejection. */
        public void rejected(Instant time) {
            rejected = time;
        }
    }

    /**
     * Settings of the policies' stored state: the {@code policy:} section of configs/serve.yaml. Without {@code --policy} only feedback is stored, in
     * a temporary folder.
     *
     * @param folder of the database and of its hash key; used by this server only
     * @param busyTimeoutMs that a request waits for the database before it fails
     * @param maxDatabaseMb maximum size of the database in 2^20 bytes; a full database means silence until rows are erased or expire
     * @param maxFeedbackMb maximum size of one user's records and images; feedback beyond it is counted but not kept
     */
    public record PolicySettings(Path folder, int busyTimeoutMs, int maxDatabaseMb, int maxFeedbackMb) {
        public PolicySettings {
            Rule.require(folder.toString().indexOf('?') < 0, "folder", folder, "a path without \"?\"");
            Rule.require(
                    busyTimeoutMs >= 1 && busyTimeoutMs <= 60_000, "busy-timeout-ms", busyTimeoutMs, "from 1 to 60000");
            Rule.require(
                    maxDatabaseMb >= 1 && maxDatabaseMb <= 1 << 20,
                    "max-database-mb",
                    maxDatabaseMb,
                    "from 1 to 1048576");
            Rule.require(
                    maxFeedbackMb >= 1 && maxFeedbackMb <= maxDatabaseMb,
                    "max-feedback-mb",
                    maxFeedbackMb,
                    "from 1 to max-database-mb");
        }

        PolicySettings in(Path other) {
            return new PolicySettings(other, busyTimeoutMs, maxDatabaseMb, maxFeedbackMb);
        }

        /** Returns the maximum bytes of the database. */
        public long maxDatabaseBytes() {
            return (long) maxDatabaseMb << 20;
        }
    }

    /** Logs a database that cannot be used: once when the outage begins, hourly while it lasts, and once when it ends. */
    static final class Outage {
        private static final Logger LOG = LoggerFactory.getLogger(Outage.class);
        private static final Duration AGAIN = Duration.ofHours(1);

        private final Clock clock;
        private @Nullable Instant reported;

        Outage(Clock clock) {
            this.clock = clock;
        }

        /** @param why its message has nothing of a request */
        synchronized void report(UnavailableException why) {
            Instant now = clock.instant();
            if (reported == null || !now.isBefore(reported.plus(AGAIN))) {
                reported = now;
                LOG.error(
                        "{}; until it can be used, no intervention is made and no decision is audited",
                        why.getMessage());
            }
        }

        synchronized void over() {
            if (reported != null) {
                reported = null;
                LOG.info("the policy database can be used again");
            }
        }
    }
}
