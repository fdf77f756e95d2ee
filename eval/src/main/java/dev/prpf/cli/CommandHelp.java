package dev.prpf.cli;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.Suggestion;
import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The help of all commands, and the message of a wrong command line. */
final class CommandHelp {
    /** Shorter lists of options have no headings. */
    private static final int LONG = 12;

    private static final String OWN = "Options";

    private CommandHelp() {}

    /** Gives a command and its subcommands {@code --help}, {@code --version}, grouped options and an unwrapped footer. */
    static void addTo(CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        if (!spec.mixinStandardHelpOptions()) { // a method's parameters are numbered together with these options
            spec.mixinStandardHelpOptions(true);
        }
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, CommandHelp::options);
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, CommandHelp::footer);
        line.getSubcommands().values().forEach(CommandHelp::addTo);
    }

    /** Returns {@code COMMAND --help} for {@code help COMMAND}, and other arguments unchanged. */
    static String[] asOption(String... arguments) {
        return arguments.length > 0 && arguments[0].equals("help")
                ? Stream.concat(Arrays.stream(arguments).skip(1), Stream.of("--help"))
                        .toArray(String[]::new)
                : arguments;
    }

    /** Makes completion offer the constants of enumerations in kebab case, as options take them. */
    static void completeConstants(CommandSpec spec) {
        for (OptionSpec option : List.copyOf(spec.options())) {
            Object[] constants = option.auxiliaryTypes()[0].getEnumConstants();
            if (constants != null) {
                List<String> names = Arrays.stream(constants)
                        .map(constant -> EnumName.of((Enum<?>) constant))
                        .toList();
                spec.remove(option);
                spec.addOption(option.toBuilder().completionCandidates(names).build());
            }
        }
        spec.subcommands().values().forEach(sub -> completeConstants(sub.getCommandSpec()));
    }

    private static String options(Help help) {
        List<OptionSpec> all = help.commandSpec().options();
        if (all.size() < LONG) {
            return help.optionList();
        }
        Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        for (String heading : List.of(OWN, OptionGroup.DATA, OptionGroup.DECODING, OptionGroup.RUN)) {
            List<OptionSpec> options =
                    all.stream().filter(one -> heading(one).equals(heading)).toList();
            if (!options.isEmpty()) {
                groups.put(heading, options);
            }
        }
        StringBuilder text = new StringBuilder();
        groups.forEach((heading, options) ->
                text.append("\n").append(heading).append(":\n").append(help.optionListExcludingGroups(options)));
        return text.toString();
    }

    private static String heading(OptionSpec option) {
        if (option.usageHelp() || option.versionHelp()) {
            return OptionGroup.RUN;
        }
        OptionGroup group = option.userObject() instanceof Member member
                ? member.getDeclaringClass().getAnnotation(OptionGroup.class)
                : null;
        return group == null ? OWN : group.value();
    }

    /**
     * Prints a footer without wrapping, so that commands can be copied; picocli also breaks lines at hyphens and slashes. A footer that does
     * not begin with an empty line is an example.
     */
    private static String footer(Help help) {
        String[] footer = help.commandSpec().usageMessage().footer();
        String heading = footer.length == 0 || footer[0].isEmpty() ? "" : "\nExample:\n";
        return footer.length == 0 ? "" : heading + String.join("\n", footer) + "\n";
    }

    /** Describes a wrong command line in at most three lines: the error, the similar name, the help to read. Without a command: the usage. */
    static String wrongUsage(ParameterException exception) {
        CommandSpec spec = exception.getCommandLine().getCommandSpec();
        List<String> unmatched = exception.getCommandLine().getUnmatchedArguments();
        if (unmatched.isEmpty() && !spec.subcommands().isEmpty() && !(spec.userObject() instanceof Runnable)) {
            return "a command is needed\n" + exception.getCommandLine().getUsageMessage();
        }
        boolean unknown = exception instanceof UnmatchedArgumentException
                || (exception instanceof CommandLine.MissingParameterException && !unmatched.isEmpty());
        String error = unknown ? unmatched(spec, unmatched.get(0)) : String.valueOf(exception.getMessage());
        String typed = (spec.root().name().equals("prpf") ? "./" : "") + spec.qualifiedName();
        return error + "\n       see " + typed + " --help";
    }

    /** Names an unknown option or word; unknown options come before missing ones, since the missing option may be mistyped. */
    private static String unmatched(CommandSpec spec, String word) {
        String name = word.replaceFirst("=.*", "");
        if (name.startsWith("-")) {
            return "unknown option " + name + similar(name, spec.optionsMap().keySet());
        }
        return spec.subcommands().isEmpty()
                ? "unexpected argument \"" + word + "\"; " + spec.qualifiedName() + " takes " + positionals(spec)
                : "unknown command \"" + spec.qualifiedName() + " " + name + "\""
                        + similar(name, spec.subcommands().keySet());
    }

    private static String positionals(CommandSpec spec) {
        String labels = spec.positionalParameters().stream()
                .map(PositionalParamSpec::paramLabel)
                .collect(Collectors.joining(" "));
        return switch (spec.positionalParameters().size()) {
            case 0 -> "no arguments";
            case 1 -> "one argument, " + labels;
            default -> spec.positionalParameters().size() + " arguments, " + labels;
        };
    }

    private static String similar(String name, Collection<String> known) {
        return Suggestion.closest(name, known)
                .map(best -> "\n       did you mean " + best + "?")
                .orElse("");
    }
}
