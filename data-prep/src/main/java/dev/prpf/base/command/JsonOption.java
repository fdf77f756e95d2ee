package dev.prpf.base.command;

import picocli.CommandLine.Option;

/** {@code --json}, of every command with a result; a mixin. */
public class JsonOption {
    @Option(names = "--json", description = "The result as JSON on stdout; all else on stderr.")
    public boolean json;
}
