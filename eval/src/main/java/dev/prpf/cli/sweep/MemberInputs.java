package dev.prpf.cli.sweep;

import dev.prpf.base.workflow.ParsedCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Checks the files that members read before the first member runs. */
final class MemberInputs {
    /** Options that name an existing file or folder. */
    private static final List<String> INPUTS = List.of(
            ("--config --data --gold --images --gate --pool --predictions --reasoner --remote --scenarios --test "
                            + "--test-images")
                    .split(" "));

    private MemberInputs() {}

    /**
     * Returns a sentence for each missing file or folder.
     *
     * @param chosen sweeps that run, in order; a sweep may read its own files and files of sweeps before it
     */
    static Set<String> missing(CommandLine line, Map<String, SweepPlan> plans, Map<String, SweepPlan> chosen) {
        Set<String> missing = new LinkedHashSet<>();
        List<Path> made = new ArrayList<>();
        chosen.forEach((name, one) -> {
            made.add(absolute(one.directory().toString()));
            one.members().stream()
                    .flatMap(member -> member.steps().stream())
                    .flatMap(step -> inputs(ParsedCommand.of(line, step)))
                    .filter(input -> made.stream().noneMatch(input.path()::startsWith) && !Files.exists(input.path()))
                    .forEach(input -> missing.add(sentence(name, input, plans)));
        });
        return missing;
    }

    private record Input(String option, Path path) {}

    private static Stream<Input> inputs(ParsedCommand command) {
        return INPUTS.stream()
                .flatMap(option -> command.values(option).stream().map(value -> new Input(option, absolute(value))));
    }

    private static String sentence(String name, Input input, Map<String, SweepPlan> plans) {
        String next = plans.entrySet().stream()
                .filter(other -> input.path()
                        .startsWith(absolute(other.getValue().directory().toString())))
                .map(other -> "the sweep " + other.getKey() + " makes it: run " + other.getKey()
                        + " before, or set its path to another one")
                .findFirst()
                .orElse("name an existing path");
        return "sweep " + name + ": its members need " + input.option() + " " + input.path()
                + ", which does not exist; " + next;
    }

    private static Path absolute(String path) {
        return Path.of(path).toAbsolutePath().normalize();
    }
}
