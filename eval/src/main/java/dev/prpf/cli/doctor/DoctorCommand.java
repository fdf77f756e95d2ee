package dev.prpf.cli.doctor;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.UnavailableException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code prpf doctor}. */
@Command(
        name = "doctor",
        description = {
            "What is here and what to do about what is not: JDK, cores, memory, disk, instruction sets, GPU, engines, models,",
            "folders, data. Leaves with 69 if something is missing without which nothing works. Loads nothing but, in a build for",
            "CUDA, its runtime; writes nothing."
        },
        footer = {"", "Example:", "  ./prpf doctor", "  ./prpf doctor --json"})
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private JsonOption output;

    /**
     * What is printed.
     *
     * @param ok whether all that is essential is here
     */
    record Diagnosis(boolean ok, List<Check> checks) {}

    @Override
    public Integer call() {
        Engines engines = new Engines(DoctorCommand.class.getClassLoader(), System.getenv());
        List<Check> checks =
                new ArrayList<>(new Machine(engines.reasonerOnGpu(), engines.perceiverOnGpu()).checks(Path.of("")));
        checks.addAll(engines.checks());
        checks.addAll(new Folders(System.getenv(), System.getProperties()).checks());
        return report(checks, output.json);
    }

    static int report(List<Check> checks, boolean json) {
        List<Check> failed = checks.stream().filter(Check::failed).toList();
        if (json) {
            ResultStream.json(new Diagnosis(failed.isEmpty(), checks));
        } else {
            checks.forEach(DoctorCommand::print);
        }
        if (!failed.isEmpty()) {
            throw new UnavailableException(failed.stream()
                    .map(check -> check.name() + ": " + check.found() + "; " + check.advice())
                    .collect(Collectors.joining("\n       ")));
        }
        return 0;
    }

    private static void print(Check check) {
        ResultStream.line(String.format(
                "%-8s %-22s %s", check.state().name().toLowerCase(Locale.ROOT), check.name(), check.found()));
        if (check.advice() != null) {
            ResultStream.line(" ".repeat(32) + "-> " + check.advice());
        }
    }
}
