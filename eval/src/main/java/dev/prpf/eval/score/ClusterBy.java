package dev.prpf.eval.score;

import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/** The rule for samples that share a source and thus depend on each other; a bootstrap draws whole sources. */
public enum ClusterBy implements Labelled {
    /** Samples of one recording: trajectories with the same first screenshot, or the same first text and profile. */
    TRAJECTORY,
    /** Samples of the same user, with equal profiles. */
    PROFILE,
    /** Independent samples: every sample is its own source. */
    SAMPLE;

    /** Returns the number of a sample's source, 64 bits of a SHA-256. */
    long source(Sample sample) {
        return switch (this) {
            case TRAJECTORY -> beginning(sample);
            case PROFILE -> number("profile", sample.context().profile());
            case SAMPLE -> number("sample", sample.id());
        };
    }

    /** Hashes only the first step, since samples of a recording are its prefixes; a trace without steps is its own source. */
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
