package dev.prpf.mpp.network;

import java.util.Locale;

/** Where the perceiver's arrays live. A build holds the libraries of one of them; there is no fallback from one to the other. */
public enum Device {
    CPU,
    CUDA;

    /** The name in configurations and run descriptions. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The Maven profile whose builds run here. */
    String profile() {
        return this == CUDA ? "cuda-mpp" : "cpu";
    }
}
