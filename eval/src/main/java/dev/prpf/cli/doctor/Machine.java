package dev.prpf.cli.doctor;

import com.sun.management.OperatingSystemMXBean;
import dev.prpf.mpp.network.NvidiaGpu;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks the Java runtime, the processor, memory, disk and GPUs.
 *
 * @param processors Linux's description of the processors
 * @param gpuQuery the command that lists the GPUs, one a line
 * @param reasonerOnGpu whether this build runs the reasoner on a GPU
 * @param perceiverOnGpu whether it also runs the perceiver on a GPU
 */
record Machine(Path processors, List<String> gpuQuery, boolean reasonerOnGpu, boolean perceiverOnGpu) {
    private static final String GROUP = "machine";
    private static final long GIB = 1L << 30;
    private static final long SMALL_MEMORY = 4 * GIB;
    private static final long SMALL_DISK = 5 * GIB;
    private static final int SECONDS = 3;
    /** The first compute capability for which PyTorch's CUDA 12.4 has no kernels. */
    private static final int BLACKWELL = 10;

    private static final List<String> NVIDIA_SMI =
            List.of("nvidia-smi", "--query-gpu=name,memory.total,driver_version,compute_cap", "--format=csv,noheader");
    /** Instruction sets by which our kernels are selected, slowest first. */
    private static final List<String> SETS =
            List.of("avx2 fma f16c avx512f avx_vnni avx512_vnni avx512_bf16 amx_tile amx_int8 amx_bf16".split(" "));

    Machine(boolean reasonerOnGpu, boolean perceiverOnGpu) {
        this(Path.of("/proc/cpuinfo"), NVIDIA_SMI, reasonerOnGpu, perceiverOnGpu);
    }

    List<Check> checks(Path workingFolder) {
        List<Check> checks = new ArrayList<>();
        checks.add(java());
        checks.add(system());
        checks.add(Check.unless(
                Runtime.getRuntime().availableProcessors() < 2,
                GROUP,
                "cores",
                Runtime.getRuntime().availableProcessors() + ", OMP_NUM_THREADS = "
                        + System.getenv().getOrDefault("OMP_NUM_THREADS", "(not set)"),
                "two cores or more are advised; everything is slow with one"));
        checks.add(instructionSets());
        checks.add(memory());
        long free = workingFolder.toAbsolutePath().toFile().getUsableSpace();
        checks.add(
                Check.unless(
                        free < SMALL_DISK,
                        GROUP,
                        "disk",
                        gib(free) + " free in " + workingFolder.toAbsolutePath().normalize(),
                        "checkpoints of a training need several times its model; make room, or give --run-dir on a larger disk"));
        checks.addAll(gpus());
        return checks;
    }

    private static Check java() {
        String found = System.getProperty("java.vm.name") + " " + System.getProperty("java.version") + " in "
                + System.getProperty("java.home");
        return Check.ok(GROUP, "jdk", found); // an older JDK cannot load this class
    }

    private static Check system() {
        String name = System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
        boolean known = name.startsWith("Linux") && name.endsWith("amd64");
        return Check.essential(
                known, GROUP, "system", name, "the native libraries are for Linux on x86-64; run it there");
    }

    private Check instructionSets() {
        Set<String> flags;
        try {
            flags = Files.readAllLines(processors).stream()
                    .filter(line -> line.startsWith("flags"))
                    .flatMap(line -> Arrays.stream(line.split("\\s+")))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            return Check.unless(true, GROUP, "instruction sets", "unknown", processors + " cannot be read");
        }
        List<String> here = SETS.stream().filter(flags::contains).toList();
        List<String> lacking =
                SETS.stream().filter(name -> !flags.contains(name)).toList();
        String found = String.join(" ", here) + (lacking.isEmpty() ? "" : " (not: " + String.join(" ", lacking) + ")");
        String advice = "the native libraries need AVX2; use a processor of 2013 or later";
        return Check.essential(flags.contains("avx2"), GROUP, "instruction sets", found, advice);
    }

    private static Check memory() {
        OperatingSystemMXBean system =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean(); // knows a container's limit
        long total = system.getTotalMemorySize();
        String found = gib(total) + ", " + gib(system.getFreeMemorySize()) + " unused; Java heap up to "
                + gib(Runtime.getRuntime().maxMemory()) + " (PRPF_HEAP)";
        return Check.unless(
                total < SMALL_MEMORY,
                GROUP,
                "memory",
                found,
                "4 GiB or more are advised; take smaller models and batches");
    }

    /** Returns a check for each GPU, or one without GPUs; then, if the driver answers, the profile that fits. */
    private List<Check> gpus() {
        try {
            Process process =
                    new ProcessBuilder(gpuQuery).redirectErrorStream(true).start();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return List.of(unknown(
                        "did not answer within " + SECONDS + " s",
                        "run " + gpuQuery.get(0)
                                + " by hand: without its persistence mode a driver takes longer to start"));
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.exitValue() != 0 || output.isEmpty()) {
                return List.of(unknown("says: " + output, "reinstall or reload NVIDIA's driver"));
            }
            List<Check> checks = new ArrayList<>(output.lines().map(this::gpu).toList());
            checks.add(profile(output.lines().map(NvidiaGpu::parse).toList()));
            return checks;
        } catch (IOException e) {
            String none = "none (no nvidia-smi)";
            return List.of(
                    reasonerOnGpu
                            ? Check.missing(
                                    GROUP, "gpu", none, "this build is for a GPU; PRPF_PROFILE=cpu ./prpf is not")
                            : Check.ok(GROUP, "gpu", none + "; everything runs on the processor"),
                    profile(List.of()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of(unknown("was interrupted", "run ./prpf doctor again"));
        }
    }

    /** Names the build that fits the cards, before a colon, and "cuda-mpp:" if it fits too. Job files of {@code prpf launch} read both. */
    private static Check profile(List<@Nullable NvidiaGpu> cards) {
        String fits = "cuda: the reasoner on the GPU, the perceiver on the processor";
        if (cards.isEmpty()) {
            fits = "cpu: everything on the processor";
        } else if (cards.stream().allMatch(card -> card != null && card.major() >= BLACKWELL)) {
            fits = "cuda-pip: as cuda, with libtorch of a Python environment (docs/GPU.md)";
        } else if (cards.stream().allMatch(card -> card != null && card.hasKernels())) {
            fits += "; cuda-mpp: the perceiver on the GPU too, for configurations that say device: cuda";
        } else {
            fits += " (its kernels for GPUs are for compute capability " + NvidiaGpu.CAPABILITIES + ")";
        }
        return Check.ok(GROUP, "profile", fits);
    }

    private Check gpu(String line) {
        String found = line + " (name, memory, driver, compute capability)";
        NvidiaGpu gpu = NvidiaGpu.parse(line);
        boolean hasKernels = gpu != null && gpu.hasKernels();
        if (!reasonerOnGpu) {
            String advice = "this build runs on the processor; PRPF_PROFILE=cuda ./prpf runs the reasoner on the GPU"
                    + (hasKernels ? ", cuda-mpp the perceiver too" : "") + ", see docs/GPU.md";
            return Check.unless(true, GROUP, "gpu", found, advice);
        }
        String advice = "the perceiver cannot use it: nd4j-cuda-11.6 has kernels for compute capability "
                + NvidiaGpu.CAPABILITIES + "; PRPF_PROFILE=cuda ./prpf runs it on the processor, see docs/GPU.md";
        return Check.unless(perceiverOnGpu && !hasKernels, GROUP, "gpu", found, advice);
    }

    private Check unknown(String why, String advice) {
        return Check.unless(true, GROUP, "gpu", gpuQuery.get(0) + " " + why, advice);
    }

    static String gib(long bytes) {
        return String.format(Locale.ROOT, "%.1f GiB", bytes / (double) GIB);
    }
}
