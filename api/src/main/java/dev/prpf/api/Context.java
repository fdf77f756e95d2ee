package dev.prpf.api;

import dev.prpf.data.DeviceContext;

/**
 * The texts that accompany the steps of a sample.
 *
 * @param profile the user's habits, preferences and attributes
 * @param phone the state of the device
 * @param world time, weather, place and holidays
 */
public record Context(String profile, String phone, String world) {
    /** Checks that no text is null. */
    public Context {
        new DeviceContext(profile, phone, world);
    }

    DeviceContext internal() {
        return new DeviceContext(profile, phone, world);
    }
}
