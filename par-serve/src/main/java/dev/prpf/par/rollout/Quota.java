package dev.prpf.par.rollout;

import dev.prpf.base.error.InvalidDataException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many records of each kind the set has: the retained groups' own mixture, with at least the silent share asked for.
 *
 * @param silent records
 * @param interventions records
 */
record Quota(int silent, int interventions) {
    private static final Logger LOG = LoggerFactory.getLogger(Quota.class);
    private static final double ROUNDING = 1e-9;

    static Quota of(int silent, int interventions, GrpoSetSettings settings) {
        if (silent == 0 && settings.silentShare() > 0) {
            throw new InvalidDataException("silent-share = " + settings.silentShare()
                    + ", but none of the " + interventions
                    + " groups left is silent; roll out silent samples too, or set silent-share to 0");
        }
        return settings.repeats() ? full(silent, interventions, settings) : fitting(silent, interventions, settings);
    }

    private static Quota full(int silent, int interventions, GrpoSetSettings settings) {
        int size = settings.size();
        int share = interventions == 0 ? size : wanted(silent, interventions, size, settings);
        return new Quota(share, size - share);
    }

    /** No more than there are: interventions give way where silent groups are too few for their share. */
    private static Quota fitting(int silent, int interventions, GrpoSetSettings settings) {
        int size = Math.min(settings.size(), silent + interventions);
        int quiet = Math.min(silent, wanted(silent, interventions, size, settings));
        int acting = Math.min(interventions, size - quiet);
        if (settings.silentShare() > 0) {
            double most = quiet * (1 - settings.silentShare()) / settings.silentShare();
            int fitting = (int) Math.min(acting, Math.floor(most + ROUNDING));
            if (2 * fitting < acting) {
                LOG.warn(
                        "set.silent-share = {}: for {} silent groups only {} of {} interventions are in the set; roll"
                                + " out more silent samples, or lower it",
                        settings.silentShare(),
                        quiet,
                        fitting,
                        acting);
            }
            acting = fitting;
        }
        return new Quota(quiet, acting);
    }

    private static int wanted(int silent, int interventions, int size, GrpoSetSettings settings) {
        int own = (int) Math.round((double) size * silent / (silent + interventions));
        return Math.max(own, (int) Math.ceil(settings.silentShare() * size - ROUNDING));
    }
}
