package dev.prpf.par.engine;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDManager;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.par.device.Card;
import dev.prpf.par.device.CudaRuntime;
import dev.prpf.par.device.LibtorchBuild;
import dev.prpf.par.device.LibtorchBuild.Refusal;
import dev.prpf.par.device.PeakMemory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** libtorch in this process: its thread count, and the settings of every thread that runs TorchScript. */
public final class TorchRuntime {
    private static final Logger LOG = LoggerFactory.getLogger(TorchRuntime.class);
    private static final String THREADS = "ai.djl.pytorch.num_threads";

    /** More threads do not pay off for the small models that run on CPUs; the property overrides this. */
    private static final int DEFAULT_THREADS = 2;

    private static final AtomicBoolean LOGGED = new AtomicBoolean();
    private static final ThreadLocal<Boolean> ENTERED = ThreadLocal.withInitial(TorchRuntime::enterThread);

    private TorchRuntime() {}

    /** Returns a new manager for arrays that outlive one call; close it to free them all. */
    public static PtNDManager newManager() {
        return (PtNDManager) root().newSubManager(Root.MANAGER.getDevice());
    }

    /** Returns the manager of objects that live as long as the process. */
    static NDManager root() {
        try {
            NDManager manager = Root.MANAGER;
            ENTERED.get();
            return manager;
        } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
            throw unloadable(e);
        }
    }

    static PrpfException unloadable(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = String.valueOf(cause.getMessage());
        if (message.contains("out of memory")) {
            return new InsufficientMemoryException("card 0 (" + Card.of(0).name()
                    + ") has no memory left for libtorch to"
                    + " start: " + message.lines().findFirst().orElse("") + "; nvidia-smi lists the"
                    + " processes that fill it: end them, or choose another card with CUDA_VISIBLE_DEVICES");
        }
        return cause instanceof PrpfException refused
                ? refused
                : new UnavailableException(
                        "libtorch cannot be loaded (" + cause
                                + "); ./prpf doctor checks what it needs, docs/GPU.md lists it",
                        error);
    }

    /** Returns the number of libtorch's threads. */
    public static int threads() {
        root();
        return JniUtils.getNumThreads();
    }

    /** Returns the device of arrays: {@code cpu}, or {@code gpu:0}. */
    public static String device() {
        Device device = root().getDevice();
        return device.getDeviceType() + (device.isGpu() ? ":" + device.getDeviceId() : "");
    }

    /** Waits for all GPU work so far, so that a clock can be read; no-op without a GPU. */
    public static void synchronise() {
        if (onGpu()) {
            HostValues.floats(anchor()); // a copy to the host waits for the stream
        }
    }

    /** Returns an array on the device of all arrays, for methods that create others "like" it; not to be closed. */
    public static PtNDArray anchor() {
        root();
        return Root.ANCHOR;
    }

    /** Returns the GPU that holds arrays; null on a CPU. */
    public static @Nullable Card card() {
        root();
        return Root.CARD;
    }

    /** Measures the memory that this process reserves on the GPU. */
    public static PeakMemory cardMemory() {
        Card card = card();
        return card == null ? PeakMemory.unavailable("libtorch works on the processor") : PeakMemory.of(card);
    }

    /** Logs the GPU's name, once. */
    public static void logCard() {
        if (onGpu() && LOGGED.compareAndSet(false, true)) {
            LOG.info("libtorch works{}", FreeMemory.place());
        }
    }

    static boolean onGpu() {
        return root().getDevice().isGpu();
    }

    /** Sets the graph executor's switch and the gradient mode, which belong to a thread and have wrong defaults. */
    private static Boolean enterThread() {
        JniUtils.setGraphExecutorOptimize(false);
        JniUtils.setGradMode(false);
        return Boolean.TRUE;
    }

    private static final class Root {
        static final NDManager MANAGER = start();
        static final PtNDArray ANCHOR = (PtNDArray) MANAGER.create(0f);
        static final @Nullable Card CARD =
                MANAGER.getDevice().isGpu() ? Card.of(MANAGER.getDevice().getDeviceId()) : null;

        private static NDManager start() {
            if (System.getProperty(THREADS) == null) {
                int cores = Runtime.getRuntime().availableProcessors();
                System.setProperty(THREADS, Integer.toString(Math.min(DEFAULT_THREADS, cores)));
            }
            LibtorchBuild build = requireLibtorch();
            NDManager manager = Engine.getEngine("PyTorch").newBaseManager();
            if (build.cuda() != 0 && !manager.getDevice().isGpu()) {
                throw new UnavailableException(build.label() + " was loaded and sees no card, though libcudart.so does;"
                        + " compare its CUDA with the driver's (nvidia-smi), docs/GPU.md lists what it needs");
            }
            return manager;
        }

        /** Refuses a libtorch that would fail to load, or a GPU build that would run on the CPU. */
        private static LibtorchBuild requireLibtorch() {
            ClassLoader classes = TorchRuntime.class.getClassLoader();
            LibtorchBuild build = LibtorchBuild.find(classes, System.getenv());
            Refusal refusal = build.refusal(System.getenv(), CudaRuntime::find);
            if (refusal != null) {
                throw refusal.toException();
            }
            String flavor = build.jniFlavor(classes);
            if (flavor != null) {
                System.setProperty("PYTORCH_FLAVOR", flavor); // DJL reads the environment variable of this name first
            }
            return build;
        }
    }
}
