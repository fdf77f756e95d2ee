package dev.prpf.eval.score;

import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/** Which samples share a source and so depend on each other; a bootstrap draws whole sources. */
public enum ClusterBy implements Labelled {
    /** Moments of one recording: trajectories that begin with the same screenshot, or with the same text for the same profile. */
    TRAJECTORY,
    /** The same user: equal profiles. */
    PROFILE,
    /** None: every sample is its own source. */
    SAMPLE;

    /** A number that samples of one source share, 64 bits of a SHA-256. */
    long source(Sample sample) {
        return switch (this) {
            case TRAJECTORY -> beginning(sample);
            case PROFILE -> number("profile", sample.context().profile());
            case SAMPLE -> number("sample", sample.id());
        };
    }

    /** By the first step alone, since a recording's moments are its prefixes; of a trace without steps nothing says what it shares. */
    private static long beginning(Sample sample) {
        List<TraceStep> steps = sample.trajectory().steps();
        if (steps.isEmpty()) {
            return SAMPLE.source(sample);
        }
        return steps.get(0) instanceof TraceStep.Screenshot screenshot
                ? number("screenshot", screenshot.path())
                : number(
                        "text",
                        sample.context().profile() + "\0"
                                + sample.trajectory().texts().get(0));
    }

    private static long number(String kind, String text) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest((kind + "\0" + text).getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
