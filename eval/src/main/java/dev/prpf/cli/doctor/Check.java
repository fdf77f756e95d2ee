package dev.prpf.cli.doctor;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * The result of one check of {@code prpf doctor}.
 *
 * @param group "machine", "engines", "models", "folders" or "data"
 * @param essential whether every command needs it
 * @param advice the next step; null if none is needed
 */
record Check(String group, String name, State state, boolean essential, String found, @Nullable String advice) {
    enum State {
        @JsonProperty("ok")
        OK,
        @JsonProperty("warning")
        WARNING,
        @JsonProperty("missing")
        MISSING
    }

    static Check ok(String group, String name, String found) {
        return new Check(group, name, State.OK, false, found, null);
    }

    /** Returns OK, or a warning with advice. */
    static Check unless(boolean wrong, String group, String name, String found, String advice) {
        return wrong ? new Check(group, name, State.WARNING, false, found, advice) : ok(group, name, found);
    }

    static Check missing(String group, String name, String found, String advice) {
        return new Check(group, name, State.MISSING, false, found, advice);
    }

    /** Returns OK, or missing with advice, for a thing that every command needs. */
    static Check essential(boolean here, String group, String name, String found, String advice) {
        return new Check(group, name, here ? State.OK : State.MISSING, true, found, here ? null : advice);
    }

    boolean failed() {
        return essential && state == State.MISSING;
    }
}
