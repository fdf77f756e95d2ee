package dev.prpf.mpp.network;

import dev.prpf.base.error.PrpfException.UnavailableException;
import java.util.Locale;

/** The device that trains the perceiver. A build contains the libraries of one device and never falls back to the other. */
public enum Device {
    CPU,
    CUDA;

    /** @throws dev.prpf.base.error.PrpfException 69 if the device of this build or its library is missing */
    public static Device current() {
        return Nd4jBackend.device();
    }

    /** @throws dev.prpf.base.error.PrpfException 69 if this build is for another device, or its device or library is missing */
    public static void require(Device wanted) {
        Device here = current();
        if (here != wanted) {
            throw new UnavailableException("the configuration says device: " + wanted.label()
                    + ", this build runs on " + here.label() + " and never falls back; start it as PRPF_PROFILE="
                    + wanted.profile() + " ./prpf …, or set device: " + here.label());
        }
    }

    /** The name in configurations and run descriptions. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Name of the Maven profile that builds for this device. */
    String profile() {
        return this == CUDA ? "cuda-mpp" : "cpu";
    }
}
