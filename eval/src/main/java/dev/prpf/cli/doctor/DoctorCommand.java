package dev.prpf.cli.doctor;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
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
        footer = {"", "Example:", "  ./prpf doctor", "  ./prpf doctor --json"})
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
}
