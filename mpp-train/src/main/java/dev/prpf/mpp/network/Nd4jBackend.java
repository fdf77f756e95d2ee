package dev.prpf.mpp.network;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.factory.Nd4j;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts ND4J once, with one thread per operation; {@code host.WorkerPool} parallelises the work, since BLAS's own threads are erratic. */
final class Nd4jBackend {
    private static final Logger LOG = LoggerFactory.getLogger(Nd4jBackend.class);
    private static @Nullable Device device;

    private Nd4jBackend() {}

    /** Returns the device of arrays; throws 69 with the reason if no backend can be loaded. */
    static synchronized Device device() {
        if (device == null) {
            device = start();
        }
        return device;
    }

    private static Device start() {
        System.setProperty("org.nd4j.log.initialization", "false");
        try {
            Device expected = deviceOf(onlyBackend());
            if (expected == Device.CUDA) {
                NvidiaGpu.first().requireKernels();
            }
            Nd4j.create(1);
            requireStarted(expected);
            Nd4j.factory().blas().setMaxThreads(1);
            Nd4j.getEnvironment().setMaxThreads(1);
            Nd4j.getEnvironment().setMaxMasterThreads(1);
            LOG.debug("ND4J backend {}", Nd4j.getBackend().getClass().getSimpleName());
            return expected;
        } catch (PrpfException e) {
            throw e;
        } catch (LinkageError | RuntimeException e) {
            throw new UnavailableException("ND4J cannot start: " + root(e)
                    + ". The perceiver needs the backend of this build. Profiles cpu and cuda: linux-x86_64 with AVX2."
                    + " Profile cuda-mpp: a CUDA 11.6 driver and a GPU of compute capability 3.7 to 8.9."
                    + " Build with the other profile or run elsewhere.");
        }
    }

    /** Tells the device by the package of ND4J's CUDA backends. */
    private static Device deviceOf(Class<?> backend) {
        return backend.getName().startsWith("org.nd4j.linalg.jcublas") ? Device.CUDA : Device.CPU;
    }

    private static void requireStarted(Device expected) {
        Device started = Nd4j.getEnvironment().isCPU() ? Device.CPU : Device.CUDA;
        if (started != expected) {
            throw new UnavailableException("ND4J runs on " + started.label() + ", this build is for " + expected.label()
                    + ": it must not fall back; check the class path, or build with the profile "
                    + started.profile());
        }
    }

    private static Class<?> onlyBackend() {
        List<? extends Class<?>> found = ServiceLoader.load(org.nd4j.linalg.factory.Nd4jBackend.class).stream()
                .map(ServiceLoader.Provider::type)
                .distinct()
                .toList();
        if (found.size() != 1) {
            throw new UnavailableException("ND4J has " + found.size() + " backends on the class path "
                    + found.stream().map(Class::getSimpleName).toList()
                    + ", exactly one is needed; build with one profile: cpu, cuda or cuda-mpp");
        }
        return found.get(0);
    }

    private static String root(Throwable thrown) {
        return thrown.getCause() == null ? thrown.toString() : root(thrown.getCause());
    }
}
