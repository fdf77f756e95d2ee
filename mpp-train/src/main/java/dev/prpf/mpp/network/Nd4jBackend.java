package dev.prpf.mpp.network;

import dev.prpf.data.run.PrpfException;
import java.util.List;
import java.util.ServiceLoader;
import org.nd4j.linalg.factory.Nd4j;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts ND4J once, with one thread an operation: plans run on two lanes instead, and two BLAS threads are erratic. */
final class Nd4jBackend {
    private static final Logger LOG = LoggerFactory.getLogger(Nd4jBackend.class);
    private static boolean started;

    private Nd4jBackend() {}

    /** @throws PrpfException 69 when no backend can be loaded, with the reason */
    static synchronized void start() {
        if (started) {
            return;
        }
        System.setProperty("org.nd4j.log.initialization", "false");
        try {
            requireOne();
            Nd4j.create(1);
            Nd4j.factory().blas().setMaxThreads(1);
            Nd4j.getEnvironment().setMaxThreads(1);
            Nd4j.getEnvironment().setMaxMasterThreads(1);
            LOG.debug("ND4J backend {}", Nd4j.getBackend().getClass().getSimpleName());
            started = true;
        } catch (PrpfException e) {
            throw e;
        } catch (LinkageError | RuntimeException e) {
            throw PrpfException.unavailable(
                    "ND4J cannot start: " + root(e)
                            + ". The perceiver needs the backend this build was made for: linux-x86_64 with AVX2 (profile cpu), or a CUDA 11.6"
                            + " driver and a GPU of compute capability 3.7 to 8.9 (profile cuda). Build with the other profile or run elsewhere.");
        }
    }

    private static void requireOne() {
        List<String> found = ServiceLoader.load(org.nd4j.linalg.factory.Nd4jBackend.class).stream()
                .map(provider -> provider.type().getSimpleName())
                .distinct()
                .toList();
        if (found.size() != 1) {
            throw PrpfException.unavailable("ND4J has " + found.size() + " backends on the class path " + found
                    + ", exactly one is needed; build with one profile: cpu or cuda");
        }
    }

    /** Where arrays live: {@code cpu} or {@code cuda}. */
    static String device() {
        start();
        return Nd4j.getEnvironment().isCPU() ? "cpu" : "cuda";
    }

    private static String root(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.toString();
    }
}
