package dev.prpf.base.command;

import picocli.CommandLine.Option;

/** The mixin with {@code --json}, for commands that print a result. */
public class JsonOption {
    @Option(names = "--json", description = "Print the result as JSON on stdout; everything else goes to stderr.")
    public boolean json;
}
