package dev.prpf.par.engine;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.BaseNDManager;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;

/**
 * Simulates a GPU in a separate process: DJL takes every array for one of a GPU, while libtorch computes on the CPU. So every read on the host uses
 * the code path of a GPU. Two of DJL's classes are replaced, by class path.
 */
public final class FakeCard {
    private static final Map<String, String> REPLACED = Map.of(
            "PtDeviceType",
            """
            package ai.djl.pytorch.engine;
            public final class PtDeviceType {
                public static int toDeviceType(ai.djl.Device device) { return 0; }
                public static String fromDeviceType(int type) { return "gpu"; }
            }
            """,
            "CudaUtils",
            """
            package ai.djl.util.cuda;
            public final class CudaUtils {
                public static boolean hasCuda() { return false; }
                public static int getGpuCount() { return 0; }
                public static java.lang.management.MemoryUsage getGpuMemory(ai.djl.Device device) {
                    return new java.lang.management.MemoryUsage(-1, 1L << 20, 1L << 20, 1L << 34);
                }
            }
            """);

    private FakeCard() {}

    /** Runs a class's {@code main} with a card and returns what it printed; its first statement must be {@link #insert}. */
    public static String run(Path folder, Class<?> main, String... arguments) throws IOException {
        return run(folder, ChildJvm.SMALL_HEAP, main, arguments);
    }

    /**
     * Runs a main class with JVM options, such as the garbage collector. DJL drops the Java buffer of an array that a GPU would have copied, while
     * libtorch still reads it here. So work that depends on values runs without garbage collection.
     */
    public static String run(Path folder, List<String> options, Class<?> main, String... arguments) throws IOException {
        String classPath = compiled(folder) + File.pathSeparator + System.getProperty("java.class.path");
        return ChildJvm.run(classPath, options, main, arguments);
    }

    private static Path compiled(Path folder) throws IOException {
        List<String> options = new ArrayList<>(
                List.of("-nowarn", "-d", folder.toString(), "-cp", System.getProperty("java.class.path")));
        for (Map.Entry<String, String> each : REPLACED.entrySet()) {
            Path source = folder.resolve(each.getKey() + ".java");
            Files.writeString(source, each.getValue());
            options.add(source.toString());
        }
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, options.toArray(String[]::new));
        if (status != 0) {
            throw new AssertionError("the replaced classes do not compile");
        }
        return folder;
    }

    /** Makes the card the device of libtorch; before anything else of DJL is used. */
    public static void insert() {
        try {
            Field device = Engine.class.getDeclaredField("defaultDevice");
            device.setAccessible(true);
            device.set(Engine.getEngine("PyTorch"), Device.of("gpu", -1));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        if (!TorchRuntime.onGpu()) {
            throw new IllegalStateException("the card was inserted too late");
        }
    }

    /** Arrays and managers that live now, over DJL's whole tree of managers. */
    public static int attached() {
        return attached(TorchRuntime.root());
    }

    private static int attached(NDManager manager) {
        try {
            Field resources = BaseNDManager.class.getDeclaredField("resources");
            resources.setAccessible(true);
            int count = 1;
            for (Object resource : ((Map<?, ?>) resources.get(manager)).values()) {
                if (resource instanceof NDManager child) {
                    count += attached(child);
                } else if (resource instanceof NDArray) {
                    count++;
                }
            }
            return count;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
