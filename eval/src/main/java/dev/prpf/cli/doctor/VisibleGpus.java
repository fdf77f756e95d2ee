package dev.prpf.cli.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The GPUs that processes of this build may use, as {@code CUDA_VISIBLE_DEVICES} names them. */
public final class VisibleGpus {
    /** The environment variable that selects CUDA's GPUs. */
    public static final String VARIABLE = "CUDA_VISIBLE_DEVICES";

    private static final List<String> QUERY = List.of("nvidia-smi", "--query-gpu=index", "--format=csv,noheader");

    private VisibleGpus() {}

    /** Returns the visible GPUs; none in a build for processors or without a driver. */
    public static List<String> ofThisBuild() {
        ClassLoader classes = VisibleGpus.class.getClassLoader();
        boolean onGpu = new Engines(classes, System.getenv()).reasonerOnGpu();
        return onGpu ? visible(System.getenv(), QUERY) : List.of();
    }

    static List<String> visible(Map<String, String> environment, List<String> query) {
        String chosen = environment.get(VARIABLE);
        return chosen == null
                ? ofDriver(query)
                : Arrays.stream(chosen.split(",", -1))
                        .map(String::strip)
                        .takeWhile(device -> !device.startsWith("-")) // no device: CUDA ignores the ones after it
                        .filter(device -> !device.isEmpty())
                        .toList();
    }

    private static List<String> ofDriver(List<String> query) {
        try {
            Process process =
                    new ProcessBuilder(query).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? output.lines().map(String::strip).toList() : List.of();
        } catch (IOException noDriver) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}
