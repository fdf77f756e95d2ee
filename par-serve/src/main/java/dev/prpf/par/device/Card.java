package dev.prpf.par.device;

import com.sun.jna.Library;
import com.sun.jna.Native;
import java.util.Locale;

/**
 * A GPU, as described by the driver.
 *
 * @param index among those visible by {@code CUDA_VISIBLE_DEVICES}
 * @param name of the product; empty if the driver does not answer
 * @param busId its PCI address, by which NVML identifies it; empty if the driver does not answer
 */
public record Card(int index, String name, String busId) {
    private static final int LONGEST = 256;
    private static final double GIGA = 1e9;

    /** The called functions of the driver's library. */
    interface Driver extends Library {
        int cuInit(int flags);

        int cuDeviceGet(int[] device, int ordinal);

        int cuDeviceGetName(byte[] name, int length, int device);

        int cuDeviceGetPCIBusId(byte[] id, int length, int device);
    }

    /** Queries the driver for a GPU. */
    public static Card of(int index) {
        try {
            return of(index, Native.load("libcuda.so.1", Driver.class));
        } catch (UnsatisfiedLinkError e) {
            return new Card(index, "", "");
        }
    }

    static Card of(int index, Driver driver) {
        int[] device = new int[1];
        byte[] name = new byte[LONGEST];
        byte[] busId = new byte[LONGEST];
        if (driver.cuInit(0) == 0 && driver.cuDeviceGet(device, index) == 0) {
            driver.cuDeviceGetName(name, LONGEST, device[0]);
            driver.cuDeviceGetPCIBusId(busId, LONGEST, device[0]);
        }
        return new Card(index, Native.toString(name), Native.toString(busId));
    }

    /** Returns the text for messages: "card 0 (NVIDIA H100 PCIe, 12.30 of 79.60 GB free)". */
    public String described(long free, long total) {
        return String.format(
                Locale.ROOT,
                "card %d (%s, %.2f of %.2f GB free)",
                index,
                name.isEmpty() ? "name unknown" : name,
                free / GIGA,
                total / GIGA);
    }
}
