package dev.prpf.api;

import dev.prpf.data.Trajectory.TraceStep;
import java.nio.file.Path;
import java.util.Base64;

/** One step of a user on a device: a description in words, or an image of the screen. Immutable. */
public final class Step {
    private final TraceStep step;

    private Step(TraceStep step) {
        this.step = step;
    }

    /** Returns a step that is described in words. */
    public static Step text(String description) {
        return new Step(new TraceStep.Caption(description));
    }

    /** Returns an image, PNG or JPEG, in a file. The file is read when the step is scored. */
    public static Step image(Path file) {
        return new Step(
                new TraceStep.Screenshot(file.toAbsolutePath().normalize().toString()));
    }

    /** Returns an image from the bytes of a PNG or JPEG file. */
    public static Step image(byte[] file) {
        boolean jpeg = file.length > 1 && file[0] == (byte) 0xff && file[1] == (byte) 0xd8;
        String type = jpeg ? "image/jpeg" : "image/png";
        return new Step(new TraceStep.Screenshot(
                "data:" + type + ";base64," + Base64.getEncoder().encodeToString(file)));
    }

    TraceStep internal() {
        return step;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Step same && same.step.equals(step);
    }

    @Override
    public int hashCode() {
        return step.hashCode();
    }

    /** Returns the description, or the image's path; of an image in memory, the beginning of its data URL. */
    @Override
    public String toString() {
        return step.text(TraceStep.Screenshot::toString);
    }
}
