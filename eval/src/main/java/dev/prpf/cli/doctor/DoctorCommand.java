package dev.prpf.cli.doctor;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.hub.HubEnvironment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Implements the command {@code prpf doctor}. */
@Command(
        name = "doctor",
        description = {
            "Check what is installed and advise on the rest: JDK, cores, memory, disk, instruction sets, GPU, "
                    + "engines, models, folders, data.",
            "Exits with 69 if something essential is missing. Writes nothing, and loads only, in a build for "
                    + "CUDA, its runtime."
        },
        footer = {"  ./prpf doctor", "  ./prpf doctor --json"})
public final class DoctorCommand implements Runnable {
    @Mixin
    private JsonOption output;

    /**
     * The result that is printed.
     *
     * @param ok whether all essential things are present
     */
    record Diagnosis(boolean ok, List<Check> checks) {}

    @Override
    public void run() {
        Engines engines = new Engines(DoctorCommand.class.getClassLoader(), System.getenv());
        List<Check> checks =
                new ArrayList<>(new Machine(engines.reasonerOnGpu(), engines.perceiverOnGpu()).checks(Path.of("")));
        checks.addAll(engines.checks());
        checks.addAll(new Folders(System.getenv(), System.getProperties()).checks());
        report(checks, output);
    }

    static void report(List<Check> checks, JsonOption output) {
        List<Check> failed = checks.stream().filter(Check::failed).toList();
        output.printLines(
                new Diagnosis(failed.isEmpty(), checks),
                () -> checks.stream().map(DoctorCommand::text).toList());
        if (!failed.isEmpty()) {
            throw new UnavailableException(failed.stream()
                    .map(check -> check.name() + ": " + check.found() + "; " + check.advice())
                    .collect(Collectors.joining("\n       ")));
        }
    }

    private static String text(Check check) {
        String found =
                "%-8s %-22s %s".formatted(check.state().name().toLowerCase(Locale.ROOT), check.name(), check.found());
        return check.advice() == null ? found : found + "\n" + " ".repeat(32) + "-> " + check.advice();
    }

    /** Checks the folders of libraries, downloads and benchmark data. */
    record Folders(Map<String, String> environment, Properties properties) {
        private static final long ENGINES = 1L << 30;

        List<Check> checks() {
            Path home = Path.of(properties.getProperty("user.home"));
            List<Check> checks = new ArrayList<>();
            checks.add(writable(
                    "javacpp cache",
                    path(properties.getProperty("org.bytedeco.javacpp.cachedir"), home.resolve(".javacpp/cache")),
                    "PRPF_JAVA_OPTIONS=-Dorg.bytedeco.javacpp.cachedir=DIR names another"));
            checks.add(writable(
                    "djl cache",
                    path(environment.get("DJL_CACHE_DIR"), home.resolve(".djl.ai")),
                    "DJL_CACHE_DIR=DIR names another"));
            checks.add(hub());
            checks.add(writable(
                    "temporary files",
                    Path.of(properties.getProperty("java.io.tmpdir")),
                    "PRPF_JAVA_OPTIONS=-Djava.io.tmpdir=DIR names another"));
            checks.add(data());
            return checks;
        }

        private Check hub() {
            String other = "HF_HOME=DIR or HF_HUB_CACHE=DIR names another";
            try {
                return writable("hub cache", HubEnvironment.of(environment).cache(), other);
            } catch (PrpfException e) {
                return Check.missing("folders", "hub cache", String.valueOf(e.getMessage()), other);
            }
        }

        private static Path path(@Nullable String named, Path otherwise) {
            return named == null || named.isEmpty() ? otherwise : Path.of(named);
        }

        private static Check writable(String name, Path folder, String other) {
            Path existing = folder.toAbsolutePath();
            while (!Files.exists(existing)) {
                existing = Objects.requireNonNull(existing.getParent(), "a root always exists");
            }
            if (!Files.isDirectory(existing) || !Files.isWritable(existing)) {
                return Check.missing(
                        "folders",
                        name,
                        folder + " cannot be written",
                        "change the rights of " + existing + "; " + other);
            }
            long free = existing.toFile().getUsableSpace();
            return Check.unless(
                    free < ENGINES,
                    "folders",
                    name,
                    folder + ", " + (existing.equals(folder.toAbsolutePath()) ? "" : "to be created, ")
                            + Machine.gib(free) + " free",
                    "engines unpack up to 0.5 GB and downloads more; make room, or " + other);
        }

        private Check data() {
            String named = environment.getOrDefault("PRPF_TESTDATA", properties.getProperty("prpf.testdata", ""));
            if (named.isEmpty()) {
                return Check.ok("data", "benchmarks", "none named (PRPF_TESTDATA); only eval suite uses them");
            }
            Path folder = Path.of(named);
            return Files.isDirectory(folder)
                    ? Check.ok("data", "benchmarks", folder.toString())
                    : Check.missing(
                            "data",
                            "benchmarks",
                            folder + " (PRPF_TESTDATA) is not a folder",
                            "name the folder of the suites' data; ./prpf eval suite --help says where they come from");
        }
    }
}
