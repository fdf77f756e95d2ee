package dev.prpf.par.serve.policy;

import dev.prpf.base.error.PrpfException.UnavailableException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a database that cannot be used: once when the outage begins, hourly while it lasts, and once when it ends. */
final class Outage {
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
            LOG.error("{}; until it can be used, no intervention is made and no decision is audited", why.getMessage());
        }
    }

    synchronized void over() {
        if (reported != null) {
            reported = null;
            LOG.info("the policy database can be used again");
        }
    }
}
