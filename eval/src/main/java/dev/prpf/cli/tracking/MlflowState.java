package dev.prpf.cli.tracking;

import org.jspecify.annotations.Nullable;

/**
 * What a run's folder keeps of MLflow.
 *
 * @param uri of the server
 * @param experimentId there
 * @param runId there
 * @param sent how far the metrics were taken
 * @param sending what was on its way; null when all was answered. It is sent again with the same time: the server drops what it has
 */
record MlflowState(String uri, String experimentId, String runId, Sent sent, @Nullable Sending sending) {
    /**
     * Metrics on their way.
     *
     * @param upTo the last line
     * @param time of all of them, ms since 1970
     */
    record Sending(Sent upTo, long time) {}

    MlflowState sending(Sent upTo, long time) {
        return new MlflowState(uri, experimentId, runId, sent, new Sending(upTo, time));
    }

    /** The server has all lines up to this one; what was on its way behind it still is. */
    MlflowState answered(Sent upTo) {
        boolean more = sending != null && upTo.isBefore(sending.upTo());
        return new MlflowState(uri, experimentId, runId, upTo, more ? sending : null);
    }

    /** The page of the run. */
    String page() {
        return uri + "/#/experiments/" + experimentId + "/runs/" + runId;
    }
}
