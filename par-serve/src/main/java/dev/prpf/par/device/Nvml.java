package dev.prpf.par.device;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;

/**
 * Reads from NVIDIA's driver (NVML) how much memory a process has reserved on a GPU. The figure includes arrays, libtorch's cache, CUDA's
 * context and other libraries.
 */
final class Nvml {
    private static final int SUCCESS = 0;
    private static final int INSUFFICIENT_SIZE = 7;
    /** {@code nvmlProcessInfo_t}: pid (4 bytes), padding, used memory (8 bytes), two ids of a part of the GPU (4 bytes each). */
    private static final int ENTRY = 24;

    private static final int USED = 8;
    private static final int MORE = 8;
    private static final long NOT_AVAILABLE = -1;

    private final Functions library;
    private final Pointer device;
    private final long pid;

    /** The called functions of libnvidia-ml.so. */
    interface Functions extends Library {
        int nvmlInit_v2();

        int nvmlDeviceGetHandleByPciBusId_v2(String busId, PointerByReference device);

        int nvmlDeviceGetComputeRunningProcesses_v3(Pointer device, IntByReference count, Pointer infos);

        String nvmlErrorString(int code);
    }

    /** Reports a figure that NVML cannot give. */
    static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1L;

        Unavailable(String reason) {
            super(reason);
        }

        String reason() {
            return String.valueOf(getMessage());
        }
    }

    private Nvml(Functions library, Pointer device, long pid) {
        this.library = library;
        this.device = device;
        this.pid = pid;
    }

    static Nvml open(Card card) throws Unavailable {
        try {
            return open(
                    card,
                    Native.load("libnvidia-ml.so.1", Functions.class),
                    ProcessHandle.current().pid());
        } catch (UnsatisfiedLinkError e) {
            throw new Unavailable("NVML is missing: the loader finds no libnvidia-ml.so.1 (a container needs the"
                    + " driver capability \"utility\")");
        }
    }

    static Nvml open(Card card, Functions library, long pid) throws Unavailable {
        PointerByReference device = new PointerByReference();
        require(library, "nvmlInit", library.nvmlInit_v2());
        require(
                library,
                "nvmlDeviceGetHandleByPciBusId(" + card.busId() + ")",
                library.nvmlDeviceGetHandleByPciBusId_v2(card.busId(), device));
        return new Nvml(library, device.getValue(), pid);
    }

    long reservedBytes() throws Unavailable {
        IntByReference count = new IntByReference(0);
        int code = library.nvmlDeviceGetComputeRunningProcesses_v3(device, count, Pointer.NULL);
        if (code == SUCCESS) {
            throw unlisted(0);
        }
        require(library, "nvmlDeviceGetComputeRunningProcesses", code == INSUFFICIENT_SIZE ? SUCCESS : code);
        count.setValue(count.getValue() + MORE); // room for processes that start between the calls
        try (Memory infos = new Memory((long) count.getValue() * ENTRY)) {
            require(
                    library,
                    "nvmlDeviceGetComputeRunningProcesses",
                    library.nvmlDeviceGetComputeRunningProcesses_v3(device, count, infos));
            for (int i = 0; i < count.getValue(); i++) {
                long used = infos.getLong((long) i * ENTRY + USED);
                if (infos.getInt((long) i * ENTRY) == pid) {
                    if (used == NOT_AVAILABLE) {
                        throw new Unavailable("NVML does not count this card's memory by process");
                    }
                    return used;
                }
            }
            throw unlisted(count.getValue());
        }
    }

    private Unavailable unlisted(int processes) {
        return new Unavailable("NVML lists " + processes + " processes on the card and none with this one's id, " + pid
                + " (a container needs the host's process ids, as docker run --pid=host)");
    }

    private static void require(Functions library, String call, int code) throws Unavailable {
        if (code != SUCCESS) {
            throw new Unavailable(call + ": " + library.nvmlErrorString(code));
        }
    }
}
