package dev.prpf.par.serve.policy;

import dev.prpf.base.error.UnavailableException;
import dev.prpf.par.serve.http.KeyShare;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policies of {@code --policy}, with their counters and stored data. If the database cannot be used, no intervention is made ({@value
 * #UNAVAILABLE}), and the log reports it.
 */
public final class UserPolicies implements InterventionPolicy, AutoCloseable {
    /** The reason for silence while the database cannot be used. */
    public static final String UNAVAILABLE = "policy-unavailable";

    private static final Logger LOG = LoggerFactory.getLogger(UserPolicies.class);
    private static final String QUIET_ACTIVITY = "quiet-activity";

    private final PolicyFiles files;
    private final PolicySettings settings;
    private final AuditKey key;
    private final PolicyDatabase database;
    private final UserState state;
    private final Clock clock;
    private final Outage outage;
    /** Interventions counted with an unknown outcome, and when; keyed by the admission's identity, not its content. */
    private final Map<Admission, Instant> counted = Collections.synchronizedMap(new IdentityHashMap<>());

    private final Cleaning cleaning;
    private final List<BiConsumer<String, String>> erasing = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService hourly = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "policy-retention");
        thread.setDaemon(true);
        return thread;
    });

    private UserPolicies(PolicyFiles files, PolicySettings settings, KeyShare share, Clock clock) {
        this.files = files;
        this.settings = settings;
        this.clock = clock;
        outage = new Outage(clock);
        key = AuditKey.open(settings.folder());
        database = PolicyDatabase.open(settings, share);
        state = new UserState(database);
        cleaning = new Cleaning(database, clock);
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
        UserPolicies opened = new UserPolicies(PolicyFiles.read(policies), settings, share, clock);
        try {
            opened.dropOld();
            opened.cleaning.clean(false);
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

    @Override
    public Admission admit(Moment moment) {
        Account account = Account.of(moment.caller(), moment.user());
        UserRules rules = files.of(moment.user());
        UserRules.Allowed allowed = rules.read(moment.sample(), moment.question());
        Moment left = moment.with(allowed.sample());
        return moment.passive()
                ? new Admission(left, allowed.sample(), allowed.withheld(), 0, null)
                : new Admission(
                        left,
                        allowed.sample(),
                        allowed.withheld(),
                        -rules.policy().sensitivity(),
                        silence(account, rules, allowed.quiet()));
    }

    private @Nullable String silence(Account account, UserRules rules, boolean quiet) {
        Instant now = clock.instant();
        String silence = rules.silence(now);
        if (silence == null && quiet) {
            silence = QUIET_ACTIVITY;
        }
        return silence != null
                ? silence
                : closed(() -> rules.silence(state.history(account, rules.dayBegan(now)), now));
    }

    @Override
    public @Nullable String intervene(Admission admission) {
        if (admission.moment().passive() || admission.silence() != null) {
            return admission.silence();
        }
        UserRules rules = files.of(admission.moment().user());
        Instant now = clock.instant();
        String silence = rules.silence(now);
        Account account = account(admission);
        return silence != null
                ? silence
                : closed(() -> {
                    String limit = state.intervene(account, rules, now);
                    outage.over(); // reads and small entries may succeed where this fails
                    if (limit == null) {
                        counted.put(admission, now);
                    }
                    return limit;
                });
    }

    @Override
    public void withdraw(Admission admission) {
        Instant at = counted.remove(admission);
        if (at != null) {
            closed(() -> {
                state.withdraw(account(admission), at);
                return null;
            });
        }
    }

    @Override
    public void requireUser(String user) {
        Account.requireUser(user);
    }

    @Override
    public void record(Admission admission, Outcome outcome) {
        counted.remove(admission);
        Account account = account(admission);
        UserRules rules = files.of(account.user());
        boolean content = rules.policy().audit().content();
        String entry = AuditEntry.of(account, key, content, admission, outcome).json();
        closed(() -> {
            state.audit(account, rules, clock.instant(), entry);
            return null;
        });
    }

    private static Account account(Admission admission) {
        return Account.of(admission.moment().caller(), admission.moment().user());
    }

    /** Returns the result, or {@link #UNAVAILABLE} where the database cannot be used. */
    private @Nullable String closed(Supplier<@Nullable String> asked) {
        try {
            return asked.get();
        } catch (UnavailableException e) {
            outage.report(String.valueOf(e.getMessage()));
            return UNAVAILABLE;
        }
    }

    /** Drops the expired rows of all accounts. */
    void sweep() {
        closed(() -> {
            dropOld();
            cleaning.clean(true);
            return null;
        });
    }

    private void dropOld() {
        Instant now = clock.instant();
        int dropped = 0;
        for (Account account : state.accounts()) {
            dropped += state.expire(account, files.of(account.user()), now);
        }
        if (dropped > 0) {
            cleaning.expired();
        }
    }

    @Override
    public void onErase(BiConsumer<String, String> forgetting) {
        erasing.add(forgetting);
    }

    /**
     * Erases all data of an account, from the file too, and notifies the listeners.
     *
     * @throws UnavailableException if the database cannot be used; a second call resumes
     */
    UserState.Erased erase(Account account) {
        erasing.forEach(forgetting -> forgetting.accept(account.owner(), account.user()));
        UserState.Erased erased = state.erase(account);
        if (erased.any()) {
            cleaning.erased();
        }
        cleaning.clean(false);
        return erased;
    }

    UserState state() {
        return state;
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
    }
}
