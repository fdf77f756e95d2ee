package dev.prpf.par.serve.policy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log of a database that cannot be used: one line when it begins, one an hour while it lasts, one when it is over. */
final class Outage {
    private static final Logger LOG = LoggerFactory.getLogger(Outage.class);
    private static final Duration AGAIN = Duration.ofHours(1);

    private final Clock clock;
    private @Nullable Instant told;

    Outage(Clock clock) {
        this.clock = clock;
    }

    /** @param why without anything of a request */
    synchronized void goesOn(String why) {
        Instant now = clock.instant();
        if (told == null || !now.isBefore(told.plus(AGAIN))) {
            told = now;
            LOG.error("{}; until it can be used, no intervention is made and no decision is audited", why);
        }
    }

    synchronized void over() {
        if (told != null) {
            told = null;
            LOG.info("the policy database can be used again");
        }
    }
}
