package dev.prpf.api;

import dev.prpf.data.Trajectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A request to a cascade: the context and the last steps of a user.
 *
 * @param id names the sample in messages, not blank
 * @param context profile, phone and world
 * @param trace the steps, oldest first; a cascade needs at least one
 */
public record Sample(String id, Context context, List<Step> trace) {
    /** Checks the id and copies the steps. */
    public Sample {
        if (id.isBlank()) {
            throw new IllegalArgumentException("a sample's id must not be blank");
        }
        trace = List.copyOf(trace);
    }

    /** Returns a builder without steps and with an empty context. */
    public static Builder builder() {
        return new Builder();
    }

    dev.prpf.data.Sample internal() {
        Trajectory steps = new Trajectory(trace.stream().map(Step::internal).toList());
        return new dev.prpf.data.Sample(id, 1, null, null, context.internal(), steps, null);
    }

    /** Collects the parts of a sample. Not thread-safe. */
    public static final class Builder {
        private final List<Step> trace = new ArrayList<>();
        private String id = "sample";
        private String profile = "";
        private String phone = "";
        private String world = "";

        private Builder() {}

        /** Sets the name in messages; the default is {@code sample}. */
        public Builder id(String name) {
            id = name;
            return this;
        }

        /** Sets the user's habits, preferences and attributes. */
        public Builder profile(String text) {
            profile = text;
            return this;
        }

        /** Sets the state of the device. */
        public Builder phone(String text) {
            phone = text;
            return this;
        }

        /** Sets time, weather, place and holidays. */
        public Builder world(String text) {
            world = text;
            return this;
        }

        /** Adds the next step. */
        public Builder step(Step step) {
            trace.add(step);
            return this;
        }

        /** Adds the next step, described in words. */
        public Builder text(String description) {
            return step(Step.text(description));
        }

        /** Adds an image of the screen, PNG or JPEG, as the next step. */
        public Builder image(Path file) {
            return step(Step.image(file));
        }

        /** Returns the sample of the parts so far. */
        public Sample build() {
            return new Sample(id, new Context(profile, phone, world), trace);
        }
    }
}
