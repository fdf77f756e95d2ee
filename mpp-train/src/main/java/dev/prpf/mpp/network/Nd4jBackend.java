package dev.prpf.mpp.network;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.factory.Nd4j;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts ND4J once, with one thread an operation: {@code host.WorkerPool} spreads the work, since BLAS threads of its own are erratic. */
final class Nd4jBackend {
    private static final Logger LOG = LoggerFactory.getLogger(Nd4jBackend.class);
    private static @Nullable Device device;

    private Nd4jBackend() {}

    /** Where arrays live; throws 69 when no backend can be loaded, with the reason. */
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
                    + ". The perceiver needs the backend this build was made for: linux-x86_64 with AVX2"
                    + " (profiles cpu and cuda), or a CUDA 11.6 driver and a GPU of compute capability 3.7 to 8.9"
                    + " (profile cuda-mpp). Build with the other profile or run elsewhere.");
        }
    }

    /** The libraries of ND4J's CUDA backends lie in this package. */
    private static Device deviceOf(Class<?> backend) {
        return backend.getName().startsWith("org.nd4j.linalg.jcublas") ? Device.CUDA : Device.CPU;
    }

    private static void requireStarted(Device expected) {
        Device started = Nd4j.getEnvironment().isCPU() ? Device.CPU : Device.CUDA;
        if (started != expected) {
            throw new UnavailableException("ND4J runs on " + started.label() + ", this build is for " + expected.label()
                    + ": it must not fall back; look at the class path, or build with the profile "
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
