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
    /** Trajectories that begin with the same screenshot (moments of one recording), or tell the same steps. */
    TRAJECTORY,
    /** The same user: equal profiles. */
    PROFILE,
    /** None: every sample is its own source. */
    SAMPLE;

    /** A number that samples of one source share, 64 bits of a SHA-256. */
    long source(Sample sample) {
        return switch (this) {
            case TRAJECTORY -> number("trajectory", begin(sample));
            case PROFILE -> number("profile", sample.context().profile());
            case SAMPLE -> number("sample", sample.id());
        };
    }

    private static String begin(Sample sample) {
        List<TraceStep.Screenshot> screenshots = sample.trajectory().screenshots();
        return screenshots.isEmpty()
                ? "texts\0" + String.join("\0", sample.trajectory().texts())
                : "screenshot\0" + screenshots.get(0).path();
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
