package dev.prpf.par.engine;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.prpf.base.files.SafeTensors;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Outputs of reference implementations, read where they lie: property {@code prpf.golden}, else {@code ../shared/golden}. */
public final class Golden {
    private Golden() {}

    /** The folder of that name; the test is skipped if it is missing. */
    public static Path folder(String name) {
        String root = System.getProperty("prpf.root", ".");
        Path golden = Path.of(System.getProperty("prpf.golden", root + "/../shared/golden"));
        Path folder = golden.resolve(name);
        assumeTrue(Files.isDirectory(folder), "skipped: golden outputs are missing at " + folder);
        return folder;
    }

    /** An int32 tensor's values. */
    public static long[] ids(SafeTensors file, String name) {
        IntBuffer values = file.map(name).asIntBuffer();
        long[] ids = new long[values.remaining()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = values.get(i);
        }
        return ids;
    }

    /** A float64 tensor's values. */
    public static double[] doubles(SafeTensors file, String name) {
        double[] values = new double[file.map(name).remaining() / Double.BYTES];
        file.map(name).asDoubleBuffer().get(values);
        return values;
    }
}
