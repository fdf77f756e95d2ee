package dev.prpf.data;

import java.util.List;
import java.util.Objects;

/**
 * The three texts that accompany a trajectory (PRPF's U, D and W).
 *
 * @param profile the user's habits, preferences, attributes
 * @param phone the state of the device
 * @param world time, weather, place, holidays
 */
public record DeviceContext(String profile, String phone, String world) {
    public DeviceContext {
        Objects.requireNonNull(profile, "profile");
        Objects.requireNonNull(phone, "phone");
        Objects.requireNonNull(world, "world");
    }

    /** Returns profile, phone and world, in this order. */
    public List<String> texts() {
        return List.of(profile, phone, world);
    }
}
