package dev.prpf.cli.sweep;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Placeholders;
import dev.prpf.cli.sweep.SweepConfig.GatherSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;

/**
 * The members of a sweep: the product of its axes, the last axis varying fastest.
 *
 * @param directory of the sweep: {@code sweep.json}, {@code members/NAME/}, {@code results/NAME.json}, {@code logs/NAME.log}
 * @param axes without duplicates
 * @param commands the commands of each member, in order, with placeholders
 * @param members in order
 * @param gather settings for gathering the members' results
 */
public record SweepPlan(
        Path directory,
        List<Axis> axes,
        List<List<String>> commands,
        List<SweepMember> members,
        GatherSettings gather) {
    /** Separates two commands of a member. */
    static final String THEN = "--";

    private static final String SELF = "self";
    private static final Placeholders PLACEHOLDERS = new Placeholders(Map.of(), defect -> {
        throw new UsageException(defect);
    });
    private static final int LONGEST_NAME = 120;
    private static final int MOST = 10_000;

    /**
     * Plans a sweep without writing a file.
     *
     * @param axes each in the form of {@link Axis#parse}
     * @param command word by word, without {@code ./prpf}; the word {@code --} separates commands that a member runs one after the other. {@code
     *     {KEY}} is replaced by an axis's value, {@code {self}} by the member's directory, {@code {run}} by the sweep's. The first command gets
     *     each unused key, as {@code --set KEY=VALUE} or, for an option, as {@code --KEY=VALUE}. Without {@code {self}} it gets {@code --run-dir
     *     {self}}
     * @param tree parser of the first member's commands
     * @throws PrpfException 2 for invalid axes, commands or placeholders
     */
    public static SweepPlan of(List<String> axes, List<String> command, Path directory, CommandLine tree) {
        List<List<String>> commands = new ArrayList<>(List.of(new ArrayList<>()));
        for (String word : command) {
            if (word.equals(THEN)) {
                commands.add(new ArrayList<>());
            } else {
                commands.get(commands.size() - 1).add(word);
            }
        }
        commands.replaceAll(ParsedCommand::withoutLauncher);
        SweepPlan plan = ofCommands(axes.stream().map(Axis::parse).toList(), commands, directory);
        plan.requireFree(tree);
        return plan;
    }

    /** Refuses a first command that already has an option which the sweep adds. */
    private void requireFree(CommandLine tree) {
        List<String> words = commands.get(0).stream()
                .map(word -> filled(word, members.get(0)))
                .toList();
        ParsedCommand first = ParsedCommand.of(tree, words);
        for (Axis axis : axes) {
            boolean set = axis.option()
                    ? first.has(axis.key())
                    : first.values("--set").stream().anyMatch(value -> value.startsWith(axis.key() + "="));
            if (set && !names(commands, axis.key())) {
                throw new UsageException("the command sets " + axis.key() + " itself, and --sweep " + axis.key()
                        + " varies it; remove one of the two, or write {" + axis.key() + "} as the value");
            }
        }
        if (first.has("--run-dir") && !names(commands, SELF)) {
            throw new UsageException(
                    "the command names one --run-dir for all members; write --run-dir {self}, or" + " leave it out");
        }
    }

    static SweepPlan ofCommands(List<Axis> axes, List<List<String>> commands, Path directory) {
        requireSensible(axes, commands);
        List<List<String>> templates = templates(axes, commands);
        List<Map<String, String>> products = List.of(Map.of());
        for (Axis axis : axes) {
            products = products.stream()
                    .flatMap(values -> axis.values().stream().map(value -> with(values, axis.key(), value)))
                    .toList();
        }
        List<String> names = products.stream().map(SweepPlan::name).toList();
        boolean plain = names.stream().distinct().count() == names.size()
                && names.stream().allMatch(name -> name.length() <= LONGEST_NAME);
        List<SweepMember> members = new ArrayList<>();
        for (Map<String, String> values : products) {
            int index = members.size();
            members.add(member(directory, index, plain ? names.get(index) : "member-" + index, values, templates));
        }
        return new SweepPlan(directory, axes, commands, members, GatherSettings.ALL);
    }

    private static void requireSensible(List<Axis> axes, List<List<String>> commands) {
        if (axes.isEmpty()) {
            throw new UsageException("a sweep needs --sweep KEY=VALUES, as --sweep training.seed=42..46");
        }
        if (commands.isEmpty() || commands.contains(List.of())) {
            throw new UsageException("a sweep needs a command after --, as -- gate train --config configs/gate.yaml …;"
                    + " separate the commands of a member by -- too");
        }
        long count = 1;
        for (Axis axis : axes) {
            if (axes.stream().filter(other -> other.key().equals(axis.key())).count() > 1) {
                throw new UsageException("--sweep " + axis.key() + " is a duplicate; give all its values in one");
            }
            count *= axis.values().size();
            if (count > MOST) {
                throw new UsageException("the sweep has more than " + MOST + " members; give fewer values");
            }
        }
    }

    private static Map<String, String> with(Map<String, String> values, String key, String value) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(key, value);
        return more;
    }

    private static String name(Map<String, String> values) {
        return values.entrySet().stream()
                .map(value -> value.getKey().replaceFirst("^--", "") + "=" + value.getValue())
                .collect(Collectors.joining(","))
                .replaceAll("[^\\w.,=+-]", "_");
    }

    /** Returns the commands with placeholders for every axis and the member's directory. */
    private static List<List<String>> templates(List<Axis> axes, List<List<String>> commands) {
        List<List<String>> templates = new ArrayList<>(commands);
        List<String> first = new ArrayList<>(commands.get(0));
        for (Axis axis : axes) {
            if (!names(commands, axis.key())) {
                first.addAll(axis.words("{" + axis.key() + "}"));
            }
        }
        if (!names(commands, SELF)) {
            first.addAll(List.of("--run-dir", "{" + SELF + "}"));
        }
        templates.set(0, first);
        return templates;
    }

    private static boolean names(List<List<String>> commands, String placeholder) {
        return commands.stream()
                .anyMatch(words -> words.stream().anyMatch(word -> word.contains("{" + placeholder + "}")));
    }

    private static SweepMember member(
            Path directory, int index, String name, Map<String, String> values, List<List<String>> templates) {
        Path self = directory.resolve("members").resolve(name);
        Map<String, String> known = known(values, self, directory);
        List<List<String>> steps = templates.stream()
                .map(words -> words.stream()
                        .map(word -> PLACEHOLDERS.word("", word, known))
                        .toList())
                .toList();
        List<String> command = List.of("grid", "member", directory.toString(), Integer.toString(index));
        return new SweepMember(index, name, values, steps, command, self);
    }

    private static Map<String, String> known(Map<String, String> values, Path self, Path run) {
        Map<String, String> known = new LinkedHashMap<>(values);
        known.put(SELF, self.toString());
        known.put("run", run.toString());
        return known;
    }

    /** Fills the placeholders of a member's text; paths become absolute. */
    String filled(String text, SweepMember member) {
        Path self = member.runDirectory().toAbsolutePath();
        return PLACEHOLDERS.word("", text, known(member.values(), self, directory.toAbsolutePath()));
    }

    static Path file(Path directory) {
        return directory.resolve("sweep.json");
    }

    Path results(SweepMember member) {
        return directory.resolve("results").resolve(member.name() + ".json");
    }

    /** Returns the log of a member that ran on this machine. */
    Path log(SweepMember member) {
        return directory.resolve("logs").resolve(member.name() + ".log");
    }

    /**
     * Writes the plan, which members and {@code grid gather} read.
     *
     * @throws PrpfException 78 if the directory holds another plan, naming the differences; 69 if it cannot be written
     */
    public void write() {
        requireSame();
        JsonFile.write(file(directory), new Saved(axes, commands, gather));
    }

    /** Content of {@code sweep.json}: a plan, which determines the members, and the settings for gathering. */
    record Saved(List<Axis> axes, List<List<String>> commands, GatherSettings gather) {
        static Saved read(Path directory) {
            Path file = file(directory);
            if (!Files.isRegularFile(file)) {
                throw new UsageException(
                        file + ": does not exist; name the folder of a sweep (--run-dir of ./prpf grid)");
            }
            return JsonFile.record(file, "plan of a sweep", Saved.class);
        }
    }

    SweepPlan gathering(GatherSettings settings) {
        return new SweepPlan(directory, axes, commands, members, settings);
    }

    /** @throws PrpfException 78 if the directory holds another plan, naming the differences */
    void requireSame() {
        if (!Files.exists(file(directory))) {
            return;
        }
        Saved before = Saved.read(directory);
        List<String> differences = new ArrayList<>();
        if (!before.axes().equals(axes)) {
            differences.add("axes were " + shown(before.axes()) + " and now are " + shown(axes));
        }
        if (!before.commands().equals(commands)) {
            differences.add("command was " + before.commands() + " and now is " + commands);
        }
        if (!differences.isEmpty()) {
            throw new InvalidConfigurationException(directory + ": holds a sweep whose "
                    + String.join(", and whose ", differences) + "; name another --run-dir");
        }
    }

    private static String shown(List<Axis> axes) {
        return axes.stream()
                .map(axis -> axis.key() + "=" + String.join(",", axis.values()))
                .collect(Collectors.joining(" "));
    }

    /**
     * Reads a plan back.
     *
     * @throws PrpfException 2 for a folder without a plan, 65 for an invalid file
     */
    public static SweepPlan read(Path directory) {
        Saved saved = Saved.read(directory);
        return ofCommands(saved.axes(), saved.commands(), directory).gathering(saved.gather());
    }

    /**
     * One combination of a sweep's values.
     *
     * @param index its position in the plan, from 0
     * @param name made of its values ({@code training.seed=42,--shortlist=5}); names a folder, unique in a plan
     * @param values by axis
     * @param steps its prpf commands, in order, word by word, with its values filled in
     * @param command the one prpf command, without {@code ./prpf}, that runs the member to its end: {@code grid member DIR INDEX}. It runs the
     *     unfinished steps, saves their results and exits with their code (75: run it again). It reads the plan, which must have been {@link
     *     SweepPlan#write written}
     * @param runDirectory for the member's files
     */
    public record SweepMember(
            int index,
            String name,
            Map<String, String> values,
            List<List<String>> steps,
            List<String> command,
            Path runDirectory) {}
}
